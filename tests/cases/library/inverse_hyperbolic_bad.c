#include <assert.h>
#include <math.h>

extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    float x = __VERIFIER_nondet_float();
    __VERIFIER_assume(x >= 0.5f && x <= 0.75f);
    assert(asinhf(x) >= 0.5f);       // expect: assertion unsafe
    assert(atanhf(x) <= 0.8f);       // expect: assertion unsafe
    return 0;
}
