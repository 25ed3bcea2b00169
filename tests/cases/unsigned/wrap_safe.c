// options: --checks unsigned-overflow
unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint();
    if (n < 4000000000u) {
        return n + 294967295u == 0u;
    }
    return 0;
}
