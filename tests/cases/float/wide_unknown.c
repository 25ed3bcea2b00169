// A number of 80 bits after a function of the C library: nothing computes with it, and that is said.
#include <assert.h>
#include <math.h>

int main(void) {
    long double four = pow(2.0, 2.0);
    assert(four > 3.999L && four < 4.345L); // expect: assertion unknown floats of 15 exponent
    return 0;
}
