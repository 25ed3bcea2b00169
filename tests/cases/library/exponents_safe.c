// Functions that take numbers apart and put them together again are computed, not guessed.
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
    assert(share >= 0.5f && share < 1 && ldexpf(share, e) == x);
    assert(logbf(x) == (float)(e - 1) && ilogbf(x) == e - 1);
    rest = modff(x, &whole);
    assert(rest >= 0 && rest < 1);
    return 0;
}
