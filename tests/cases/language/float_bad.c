// 0.1 + 0.2 is not 0.3.
#include <assert.h>
double nondet_double(void);

int main(void)
{
    double a = nondet_double();
    if (a == 0.1) {
        assert(a + 0.2 == 0.3); // expect: assertion unsafe
    }
    return 0;
}
