// Arithmetic in another rounding mode is not followed.
#include <assert.h>
#include <fenv.h>

int main(void)
{
    volatile double tiny = 1e-30;
    fesetround(FE_UPWARD);
    assert(1.0 + tiny > 1.0); // expect: assertion unknown another rounding mode
    return 0;
}
