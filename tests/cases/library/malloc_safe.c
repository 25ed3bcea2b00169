#include <stdlib.h>
unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint() % 8u + 1u;
    int *p = malloc(n * sizeof *p);
    if (!p) {
        return 1;
    }
    p[n - 1u] = 4;
    int r = p[n - 1u];
    free(p);
    return r;
}
