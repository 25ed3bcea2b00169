// The real functions never return more.
#include <assert.h>
#include <math.h>

double nondet_double(void);

int main(void)
{
    double x = nondet_double();
    if (!(x >= 0.0 && x <= 1.0)) {
        return 0;
    }
    assert(sin(x) <= 1.0);
    assert(sin(x) < 0.9);
    return 0;
}
