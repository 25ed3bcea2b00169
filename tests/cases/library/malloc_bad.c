// Room for n bytes, not for n ints.
#include <stdlib.h>
unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint() % 8u + 1u;
    int *p = malloc(n);
    if (!p) {
        return 1;
    }
    p[n - 1u] = 4; // expect: pointer unsafe
    free(p);
    return 0;
}
