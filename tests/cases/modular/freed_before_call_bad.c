#include <stdlib.h>

static int first(const int *p, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum ^= *p; // expect: pointer unsafe
    }
    return sum;
}

int api(int n) {
    int *p = malloc(sizeof *p);
    if (p == 0) {
        return 0;
    }
    *p = 1;
    free(p);
    return first(p, n);
}

int other(const int *p, int n) { return first(p, n); }
