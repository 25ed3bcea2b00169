// Doubles are exact on small integers.
#include <assert.h>
int nondet_int(void);

int main(void)
{
    int n = nondet_int();
    if (n < 0 || n > 1000) {
        return 0;
    }
    double d = n;
    assert(d + 1.0 > d);
    assert((int)d == n);
    return 0;
}
