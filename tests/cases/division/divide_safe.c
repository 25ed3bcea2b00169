int nondet_int(void);

int main(void)
{
    int d = nondet_int();
    if (d != 0 && d != -1) {
        return 100 / d + 100 % d;
    }
    return 0;
}
