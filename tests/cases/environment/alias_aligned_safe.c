// Pointers are aligned as their type asks for.
#include <assert.h>

void aligned(int *p, long *q)
{
    assert(((unsigned long)p & 3) == 0);
    assert(((unsigned long)q & 7) == 0);
}
