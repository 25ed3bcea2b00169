// options: --checks unsigned-overflow
unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint();
    return n - 1u == 7u; // expect: unsigned-overflow unsafe
}
