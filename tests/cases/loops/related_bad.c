// options: --unwind 2
// One counter may step by more.
#include <assert.h>
#include <stdint.h>

uint32_t f(const uint8_t *s, uint16_t n)
{
    uint32_t j = 0, i;
    for (i = 0; i < n; i++)
        if (s[i] < 8)
            j += 2;
    assert(3 * j <= 3 * i); // expect: assertion unsafe
    return j;
}
