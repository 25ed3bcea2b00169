// Enclosed like the others, also where only the engine of bounds can tell.
#include <assert.h>
#include <math.h>

extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    float x = __VERIFIER_nondet_float();
    __VERIFIER_assume(x >= 0.5f && x <= 0.75f);
    assert(asinhf(x) >= 0.4f && asinhf(x) <= 0.7f);
    assert(acoshf(x + 1) >= 0.9f && acoshf(x + 1) <= 1.2f);
    assert(atanhf(x) >= 0.5f && atanhf(x) <= 1);
    return 0;
}
