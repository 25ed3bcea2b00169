// Through a constant table a callee finds a variable that is nobody's argument.
#include <assert.h>

static int a, b;
static int *const table[2] = {&a, &b};

static void change(int n) {
    for (int i = 0; i < n; i++) {
        *table[i & 1] = 5;
    }
}

int api(int n) {
    b = 1;
    change(n);
    assert(b == 1); // expect: assertion unsafe
    return a;
}
