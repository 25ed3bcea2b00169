#include <assert.h>
#include <complex.h>

double square(double x)
{
    if (!(x > 0 && x < 10))
        return 0;
    double complex z = x + I;
    z = z * z;
    assert(creal(z) > 0); // expect: assertion unsafe
    return creal(z);
}
