int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    if (x == -2147483647 - 1) {
        return 1;
    }
    return -x > 0;
}
