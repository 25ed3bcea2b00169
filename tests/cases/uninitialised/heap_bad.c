#include <stdlib.h>

int main(void)
{
    int *p = malloc(4 * sizeof *p);
    if (!p) {
        return 1;
    }
    p[0] = 1;
    int x = p[2]; // expect: uninitialised unsafe
    free(p);
    return x;
}
