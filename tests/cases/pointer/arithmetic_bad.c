// One past the end may be formed, not read.
unsigned nondet_uint(void);

int main(void)
{
    int a[8] = {0};
    int *p = a;
    unsigned n = nondet_uint();
    if (n <= 8u) {
        p += n;
        *p = 5; // expect: pointer unsafe
    }
    return 0;
}
