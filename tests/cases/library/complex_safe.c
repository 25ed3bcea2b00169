// The compiler's own functions for products and quotients write nothing.
#include <assert.h>
#include <complex.h>

int calls;

double square(double x, double complex y)
{
    calls = 1;
    if (!(x > 1 && x < 10))
        return 0;
    double complex z = x + I;
    z = z * z;
    assert(creal(z) > 0);
    z = z / y;
    assert(calls == 1);
    return creal(z);
}
