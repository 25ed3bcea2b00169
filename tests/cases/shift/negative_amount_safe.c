int nondet_int(void);

int main(void)
{
    int n = nondet_int();
    if (n >= 0 && n < 31) {
        return (1 << n) == 2;
    }
    return 0;
}
