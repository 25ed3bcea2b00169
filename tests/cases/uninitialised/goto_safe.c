int nondet_int(void);

int main(void)
{
    int result = -1;
    if (nondet_int()) {
        goto out;
    }
    result = 0;
out:
    return result;
}
