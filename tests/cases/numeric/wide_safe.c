#include <assert.h>
#include <math.h>

extern long long __VERIFIER_nondet_longlong(void);
extern float __VERIFIER_nondet_float(void);

int main(void)
{
    long long a = __VERIFIER_nondet_longlong(), b = __VERIFIER_nondet_longlong();
    float x = __VERIFIER_nondet_float();
    if (x >= 1 && x <= 2 && a < b && a > 4611686018427387903)
        assert(sinf(x) > 0.5f);
    return 0;
}
