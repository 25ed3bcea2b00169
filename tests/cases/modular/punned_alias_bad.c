// Two parameters of different types lead to one variable: the caller made it so, whatever the language says.
#include <assert.h>

static int twice(int *a, short *b, int n) {
    int sum = 0;
    *a = 1;
    *b = 2;
    for (int i = 0; i < n; i++) {
        sum ^= i;
    }
    assert(*a == 1); // expect: assertion unsafe
    return sum;
}

int api(int n) {
    int x = 0;
    return twice(&x, (short *)&x, n);
}
