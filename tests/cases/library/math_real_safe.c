// What the real functions never return is no violation, only one under the model's assumption.
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
    assert(sin(x) < 0.9); // expect: assertion cond-unsafe
    return 0;
}
