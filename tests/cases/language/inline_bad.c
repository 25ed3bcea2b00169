// An inline definition of C is one that the linker does not see; the run has no other.
#include <assert.h>

unsigned nondet_uint(void);

inline unsigned half(unsigned x)
{
    assert(x != 7); // expect: assertion unsafe
    return x / 2;
}

int main(void)
{
    return (int)half(nondet_uint());
}
