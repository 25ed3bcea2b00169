// A pointer of the program's own making need not be aligned.
#include <assert.h>
#include <stdint.h>

static int low(const int *p, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum ^= i;
    }
    assert(((uintptr_t)p & 1) == 0); // expect: assertion unsafe
    return sum;
}

int api(int n) {
    static char bytes[8];
    return low((const int *)(bytes + 1), n) + low((const int *)bytes, n);
}
