#include <stdint.h>
#include <stdlib.h>

void *reallocarray(void *, size_t, size_t);

int grow(unsigned count)
{
    int *items = reallocarray(0, count, sizeof *items);
    if (!items || count < 2)
        return 0;
    items[1] = 1;
    free(items);
    return 1;
}

int too_many(void)
{
    char *items = reallocarray(0, SIZE_MAX / 2, 4);
    return items ? 1 / (items == 0) : 0;
}
