#include <assert.h>
unsigned nondet_uint(void);

int main(void)
{
    char a[10];
    unsigned i = nondet_uint() % 10u, j = nondet_uint() % 10u;
    assert((&a[i] <= &a[j]) == (i < j)); // expect: assertion unsafe
    return 0;
}
