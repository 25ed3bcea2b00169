#include <assert.h>

unsigned nondet_uint(void);

inline unsigned half(unsigned x)
{
    return x / 2;
}

int main(void)
{
    assert(half(nondet_uint()) <= 0x7FFFFFFFu);
    return 0;
}
