// Pointers have 32 bits.
// options: --target i386-linux-gnu
#include <assert.h>
#include <stdint.h>

int main(void)
{
    int x = 0;
    uint32_t n = (uint32_t)(uintptr_t)&x;
    assert(sizeof(void *) == 4);
    return n == 0u;
}
