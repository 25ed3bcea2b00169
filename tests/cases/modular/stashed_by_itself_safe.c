#include <assert.h>

static int *kept;

static void change(int n) {
    for (int i = 0; i < n; i++) {
        if (kept != 0) {
            *kept = 5;
        }
    }
}

int api(int n) {
    int x = 1, y = 1;
    kept = &x;
    change(n);
    assert(y == 1);
    kept = 0;
    return x;
}
