// No object is larger than a difference of pointers covers: a negative size fails.
#include <stdlib.h>

int first(int n)
{
    if (n > 100)
        return 0;
    char *p = malloc(n);
    p[0] = 1; // expect: pointer unsafe
    free(p);
    return 0;
}
