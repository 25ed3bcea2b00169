// Each call hands on a place one further: nothing bounds it but the depth.
#include <stdlib.h>

static char *further(int n) {
    if (n <= 0) return malloc(10);
    return further(n - 1) + 1;
}

int main(void) {
    char *p = further(12);
    p[0] = 1; // expect: pointer unsafe
    return 0;
}
