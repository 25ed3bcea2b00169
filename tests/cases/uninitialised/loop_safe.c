unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint() % 4u + 1u, last;
    for (unsigned i = 0; i < n; i++) {
        last = i;
    }
    return last < 4u;
}
