// Where the product does not fit, calloc has nothing to give.
#include <assert.h>
#include <stdlib.h>

size_t nondet_size(void);

int main(void)
{
    size_t count = nondet_size(), size = nondet_size();
    if (count == 0 || size == 0)
        return 0;
    char *p = calloc(count, size);
    if (p)
        assert(p[0] == 0);
    return 0;
}
