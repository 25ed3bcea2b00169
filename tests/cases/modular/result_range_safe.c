// What a callee returns lies within its range, though it is not followed.
#include <assert.h>

static int pick(const unsigned char *p, int n) {
    int best = 0;
    for (int i = 0; i < n; i++) {
        int v = p[i];
        if (v < 10) {
            best = v;
        }
    }
    return best;
}

int api(const unsigned char *p, int n) {
    static const int table[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    return table[pick(p, n)];
}
