#include <assert.h>
#include <math.h>
double nondet_double(void);

int main(void)
{
    double x = nondet_double();
    if (x > -100.0 && x < 100.0) {
        assert(floor(x) == x); // expect: assertion unsafe
    }
    return 0;
}
