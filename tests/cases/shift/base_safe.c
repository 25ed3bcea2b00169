unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint() & 0xFFu;
    return ((int)n << 20) == 0;
}
