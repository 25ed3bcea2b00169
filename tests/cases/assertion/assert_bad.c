#include <assert.h>
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    int y = x & 15;
    assert(y != 11); // expect: assertion unsafe
    return 0;
}
