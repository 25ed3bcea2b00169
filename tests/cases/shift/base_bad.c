// A bit is shifted into the sign.
unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint() & 0xFFu;
    return ((int)n << 24) == 0; // expect: shift unsafe
}
