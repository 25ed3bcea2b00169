#include <assert.h>
#include <stdlib.h>

void none(void) {
    char *p = malloc(4);
    if (!p) return;
    free(realloc(p, 0));
}

void some(unsigned n) {
    if (n > 100) return;
    char *p = malloc(n + 1);
    assert(p);
    p[n] = 0;
    free(p);
}
