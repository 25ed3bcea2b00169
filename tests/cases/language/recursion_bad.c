#include <assert.h>
unsigned nondet_uint(void);

static unsigned factorial(unsigned n)
{
    return n < 2u ? 1u : n * factorial(n - 1u);
}

int main(void)
{
    unsigned n = nondet_uint() % 6u;
    assert(factorial(n) <= 24u); // expect: assertion unsafe
    return 0;
}
