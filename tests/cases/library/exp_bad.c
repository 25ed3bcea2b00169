// The result of exp is computed.
#include <assert.h>
#include <math.h>

int main(void)
{
    double y = exp(1.0);
    assert(y >= 0.0);
    assert(y < 5.0);
    assert(y < 2.5); // expect: assertion unsafe
    return 0;
}
