// The old pointer is used after it moved.
#include <stdlib.h>

int main(void)
{
    int *p = malloc(2 * sizeof *p);
    if (!p) {
        return 1;
    }
    p[0] = 1;
    int *q = realloc(p, 4 * sizeof *p);
    if (!q) {
        free(p);
        return 1;
    }
    int r = p[0]; // expect: pointer unsafe
    free(q);
    return r;
}
