unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint() % 4u + 1u;
    int a[n];
    for (unsigned i = 0; i < n; i++) {
        a[i] = (int)i;
    }
    return a[n]; // expect: bounds|pointer unsafe
}
