// Memory of no bytes may be null (C11 7.22.3p1), and what realloc makes smaller so is freed all the same.
#include <assert.h>
#include <stdlib.h>

void none(void) {
    char *p = malloc(4), *q;
    if (!p) return;
    q = realloc(p, 0);
    if (!q) free(p); // expect: pointer unsafe
}

void some(unsigned n) {
    char *p = malloc(n);
    assert(p); // expect: assertion unsafe
    free(p);
}
