unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint();
    return (1u << (n % 33u)) == 4u; // expect: shift unsafe
}
