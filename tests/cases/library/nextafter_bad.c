#include <assert.h>
#include <math.h>

double up(double x)
{
    if (!(x > 0 && x < 1))
        return 0;
    double next = nextafter(x, 1);
    assert(next < 1); // expect: assertion unsafe
    return next;
}
