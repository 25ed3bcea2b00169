// The result of exp is bounded, not computed: what a larger one would break is no violation.
#include <assert.h>
#include <math.h>

int main(void)
{
    double y = exp(1.0);
    assert(y >= 0.0);
    assert(y < 5.0); // expect: assertion cond-unsafe the result of exp is not computed
    return 0;
}
