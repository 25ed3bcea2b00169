#include <assert.h>
unsigned nondet_uint(void);
static int odd(unsigned n);

static int even(unsigned n)
{
    return n == 0u ? 1 : odd(n - 1u);
}
static int odd(unsigned n)
{
    return n == 0u ? 1 : even(n - 1u);
}

int main(void)
{
    unsigned n = nondet_uint() % 6u;
    assert(even(n) == (n % 2u == 0u)); // expect: assertion unsafe
    return 0;
}
