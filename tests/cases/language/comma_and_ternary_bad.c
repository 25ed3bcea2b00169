#include <assert.h>
int nondet_int(void);

int main(void)
{
    int x = nondet_int(), n = 0;
    int y = (n++, x > 0) ? (n += 2, n) : -n;
    assert(y > 0); // expect: assertion unsafe
    return 0;
}
