#include <assert.h>
#include <math.h>

extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    float x = __VERIFIER_nondet_float(), whole, rest;
    int e;
    __VERIFIER_assume(x >= 1 && x <= 64);
    float share = frexpf(x, &e);
    assert(share > 0.5f || e > 1);            // expect: assertion unsafe
    assert(ldexpf(share, e - 1) * 2 != 48);   // expect: assertion unsafe
    assert(logbf(x) + (float)ilogbf(x) < 12); // expect: assertion unsafe
    rest = modff(x, &whole);
    assert(rest < 0.96875f);                  // expect: assertion unsafe
    return 0;
}
