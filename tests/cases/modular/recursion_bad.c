// A recursive function changes what its caller up the stack relies on.
#include <assert.h>

static int depth;

static int walk(int n) {
    int before = depth;
    depth = before + (before < 100);
    if (n > 0) {
        walk(n - 1);
    }
    assert(depth == before + (before < 100)); // expect: assertion unsafe
    return depth;
}

int api(int n) {
    depth = 0;
    return walk(n > 3 ? 3 : n);
}
