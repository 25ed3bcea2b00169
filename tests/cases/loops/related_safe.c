// options: --unwind 2
// Both counters step together: what a loop's relation says is assumed in the inductive step.
#include <assert.h>
#include <stdint.h>

uint32_t f(const uint8_t *s, uint16_t n)
{
    uint32_t j = 0, i;
    for (i = 0; i < n; i++)
        if (s[i] > 7)
            j++;
    assert(3 * j <= 3 * i);
    return j;
}
