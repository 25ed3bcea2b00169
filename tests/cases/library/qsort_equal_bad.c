// The order of elements that are equal is not told (C11 7.22.5.2p4), nor which of them is found (7.22.5.1p4), nor how
// often the function is called.
#include <assert.h>
#include <stdlib.h>

struct entry {
    int key, tag;
};

static int calls;

static int by_key(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static int counting(const void *a, const void *b) {
    calls |= 1;
    return by_key(a, b);
}

void sorted(void) {
    struct entry a[3] = {{1, 1}, {1, 2}, {0, 3}};
    qsort(a, 3, sizeof *a, by_key);
    assert(a[1].tag == 1); // expect: assertion unsafe
}

void found(void) {
    struct entry a[3] = {{0, 1}, {1, 2}, {1, 3}}, wanted = {1, 0};
    struct entry *p = bsearch(&wanted, a, 3, sizeof *a, by_key);
    assert(p->tag == 2); // expect: assertion unsafe
}

void called(void) {
    struct entry a[2] = {{0, 1}, {1, 2}};
    calls = 0;
    qsort(a, 2, sizeof *a, counting); // maybe: pointer bound-safe
    assert(calls == 0); // expect: assertion unsafe
}
