#include <assert.h>
unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint() % 6u, i = 0, x = 0;
    while (i < n) {
        x += 2u;
        i++;
    }
    assert(x != 10u); // expect: assertion unsafe
    return 0;
}
