// One callee keeps the address of a local, another one writes there.
#include <assert.h>

static int *kept;

static void keep(int *p, int n) {
    for (int i = 0; i < n; i++) {
        kept = p;
    }
}

static void change(int n) {
    for (int i = 0; i < n; i++) {
        if (kept != 0) {
            *kept = 5;
        }
    }
}

int api(int n) {
    int x = 1;
    kept = 0;
    keep(&x, n);
    change(n);
    assert(x == 1); // expect: assertion unsafe
    kept = 0;
    return x;
}
