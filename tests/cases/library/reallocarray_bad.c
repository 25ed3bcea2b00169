#include <stdlib.h>

void *reallocarray(void *, size_t, size_t);

int grow(unsigned count)
{
    int *items = reallocarray(0, count, sizeof *items);
    if (!items)
        return 0;
    items[1] = 1; // expect: pointer unsafe
    free(items);
    return 1;
}

int moved(int *items)
{
    int *more = reallocarray(items, 2, sizeof *items);
    int first = more ? items[0] : 0; // expect: pointer unsafe
    free(more);
    return first;
}
