// The new part of a grown block holds nothing.
#include <stdlib.h>

int main(void)
{
    int *p = calloc(2, sizeof *p);
    if (!p) {
        return 1;
    }
    int *q = realloc(p, 4 * sizeof *p);
    if (!q) {
        free(p);
        return 1;
    }
    int r = q[3]; // expect: uninitialised unsafe
    free(q);
    return r;
}
