// The address of a local goes by a copy of unknown length into a variable where a callee finds it.
#include <assert.h>
#include <string.h>

struct box {
    int *p;
    int n;
};

static struct box kept;

static void change(int n) {
    for (int i = 0; i < n; i++) {
        if (kept.p != 0) {
            *kept.p = 5;
        }
    }
}

int api(int n, unsigned size) {
    int x = 1;
    struct box own = {&x, 0};
    kept.p = 0;
    if (size == sizeof own || size == 0) {
        memcpy(&kept, &own, size);
    }
    change(n);
    assert(x == 1); // expect: assertion unsafe|unknown
    kept.p = 0;
    return x;
}
