int nondet_int(void);

int main(void)
{
    int n = nondet_int();
    if (n < 1 || n > 3) {
        return 0;
    }
    char a[n];
    a[0] = 1;
    return a[0];
}
