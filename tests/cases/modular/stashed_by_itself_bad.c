// The address of a local lies in a variable that nobody else can name; a callee finds it there.
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
    int x = 1;
    kept = &x;
    change(n);
    assert(x == 1); // expect: assertion unsafe
    kept = 0;
    return x;
}
