// Unsigned counters may wrap: that is not signed overflow.
unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint();
    n++;
    n += 5u;
    return n == 0u;
}
