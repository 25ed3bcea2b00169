#include <assert.h>
#include <math.h>

double nondet_double(void);
float nondet_float(void);

int main(void)
{
    double x = nondet_double();
    double r = fmod(x, 3.0);
    assert(r != 1.5); // expect: assertion unsafe
    assert(fmodf(nondet_float(), 4.0f) < 3.5f || x == 0); // expect: assertion unsafe
    return 0;
}
