// The bound is never reached, so the proof is complete.
#include <assert.h>
unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint() % 6u, i = 0, x = 0;
    while (i < n) {
        x += 2u;
        i++;
    }
    assert(x == 2u * n);
    return 0;
}
