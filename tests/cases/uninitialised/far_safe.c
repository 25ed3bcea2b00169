#include <stdlib.h>

int one(void)
{
    char *p = malloc(1ul << 41);
    if (!p) return 0;
    p[1ul << 40] = 1;
    int r = p[1ul << 40];
    free(p);
    return r;
}
