unsigned nondet_uint(void);

int main(void)
{
    int a[8] = {0};
    int *p = a;
    unsigned n = nondet_uint();
    if (n < 8u) {
        p += n;
        *p = 5;
        return *(p - n);
    }
    return 0;
}
