#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(2 * sizeof *p);
    if (!p) {
        return 1;
    }
    p[0] = 1;
    p[1] = 2;
    int *q = realloc(p, 4 * sizeof *p);
    if (!q) {
        free(p);
        return 1;
    }
    q[3] = 4;
    assert(q[0] == 1 && q[1] == 2);
    free(q);
    return 0;
}
