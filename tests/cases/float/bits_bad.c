#include <string.h>

void __VERIFIER_assert(int);
unsigned nondet_uint(void);

int main(void)
{
    unsigned bits = nondet_uint(), back;
    float f;
    memcpy(&f, &bits, sizeof f);
    float more = f + 1.0f;
    memcpy(&back, &more, sizeof back);
    __VERIFIER_assert(back != 0x40400000u); // expect: assertion unsafe
    return 0;
}
