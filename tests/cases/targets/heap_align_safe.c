// On a hosted 64-bit system malloc gives what suits every type.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
    char *p = malloc(4);
    if (!p)
        return 0;
    assert(((uintptr_t)p & 7) == 0);
    free(p);
    return 0;
}
