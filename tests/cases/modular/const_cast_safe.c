#include <assert.h>

static int count(const int *p, int n) {
    int found = 0;
    for (int i = 0; i < n; i++) {
        found |= *p == i;
    }
    return found;
}

int api(int n) {
    int x = 0;
    int found = count(&x, n);
    assert(x == 0);
    return found;
}
