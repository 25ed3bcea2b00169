// A callee writes through a pointer to const.
#include <assert.h>

static void sneaky(const int *p, int n) {
    for (int i = 0; i < n; i++) {
        *(int *)p = i;
    }
}

int api(int n) {
    int x = 0;
    sneaky(&x, n);
    assert(x == 0); // expect: assertion unsafe
    return x;
}
