// The address of a local goes through memory from outside to a callee that finds it by another way.
#include <assert.h>

struct box {
    int *p;
};

static struct box *current;

static void change(int n) {
    for (int i = 0; i < n; i++) {
        *current->p = 5;
    }
}

int api(struct box *b, int n) {
    int x = 1;
    b->p = &x;
    current = b;
    change(n);
    assert(x == 1); // expect: assertion unsafe
    return 0;
}
