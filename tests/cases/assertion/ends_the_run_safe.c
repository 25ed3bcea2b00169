// Nothing behind a failed assertion runs.
#include <assert.h>
int nondet_int(void);

int main(void)
{
    int d = nondet_int();
    assert(d != 0); // expect: assertion unsafe
    return d == -1 ? 0 : 100 / d;
}
