// The native run has the real results of the math library.
#include <assert.h>
#include <math.h>

double nondet_double(void);
int nondet_int(void);

int main(void)
{
    double x = nondet_double();
    int n = nondet_int();
    if (!(x >= 0.5 && x <= 0.6)) {
        return 0;
    }
    assert(sin(x) > 0.4);
    n = n + 1;            // expect: signed-overflow unsafe
    assert(pow(x, 3.0) > 0.5 || expf((float)x) < 1.5f || ldexp(x, 3) < 3.9); // expect: assertion unsafe
    return n;
}
