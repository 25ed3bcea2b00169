// A long copy of unknown length is not followed byte by byte: what it left behind is confirmed, or undecided.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

size_t nondet_size(void);

int main(void)
{
    size_t size = nondet_size();
    if (size < 2 || size > 1000)
        return 0;
    int *to = calloc(size, sizeof(int));
    int *from = calloc(size, sizeof(int));
    if (!to || !from)
        return 0;
    from[0] = 42;
    memcpy(to, from, size * sizeof(int));
    assert(to[0] == 42); // expect: assertion unknown a copy of unknown length
    assert(to[1] == 43); // expect: assertion unsafe
    return 0;
}
