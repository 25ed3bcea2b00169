#include <assert.h>
#include <fenv.h>

int main(void)
{
    double tiny = 1e-30;
    assert(fesetround(FE_TONEAREST) == 0);
    assert(fegetround() == FE_TONEAREST);
    assert(1.0 + tiny == 1.0);
    return 0;
}
