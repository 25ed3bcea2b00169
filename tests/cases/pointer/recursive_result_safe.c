// Each call hands on a place one further: the depth bounds it.
#include <stdlib.h>

static char *further(int n) {
    if (n <= 0) return malloc(10);
    return further(n - 1) + 1;
}

int main(void) {
    char *p = further(9);
    p[0] = 1;
    return 0;
}
