#include <assert.h>
#include <stddef.h>
unsigned nondet_uint(void);

int main(void)
{
    int a[10];
    unsigned i = nondet_uint() % 10u, j = nondet_uint() % 10u;
    ptrdiff_t d = &a[i] - &a[j];
    assert(d == (ptrdiff_t)i - (ptrdiff_t)j);
    return 0;
}
