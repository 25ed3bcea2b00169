#include <assert.h>
#include <math.h>

int calls;

double up(double x)
{
    calls = 1;
    if (!(x > 0 && x < 1))
        return 0;
    double next = nextafter(x, 1);
    assert(next > x && next <= 1);
    assert(calls == 1); // no function outside was called that could change it
    return next;
}
