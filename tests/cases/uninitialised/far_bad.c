// So far behind the start of an object that nobody keeps a list of written bytes.
#include <stdlib.h>

int one(void)
{
    char *p = malloc(1ul << 41);
    if (!p) return 0;
    int r = p[1ul << 40]; // expect: uninitialised unsafe
    free(p);
    return r;
}
