#include <assert.h>
#include <stdlib.h>

struct entry {
    int key, tag;
};

static int by_key(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

void sorted(void) {
    struct entry a[3] = {{1, 1}, {1, 2}, {0, 3}};
    qsort(a, 3, sizeof *a, by_key);
    assert(a[0].tag == 3 && a[1].tag + a[2].tag == 3);
}

void found(int key) {
    struct entry a[3] = {{0, 1}, {1, 2}, {1, 3}}, wanted = {key, 0};
    struct entry *p = bsearch(&wanted, a, 3, sizeof *a, by_key);
    if (p) assert(p->key == key);
    if (key == 1) assert(p && p->tag >= 2);
}
