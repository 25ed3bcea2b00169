// A counter of eight bits never gets to a limit of sixteen: it comes round after 256 steps.
#include <assert.h>
#include <stdint.h>
unsigned sum(uint16_t limit) {
    unsigned found = 0;
    for (uint8_t i = 0; i < limit; i++) // expect: narrowing unsafe; narrowing safe
        found += i;
    return found;
}
int behind(uint16_t limit) {
    uint8_t i = 0;
    while (i < limit)
        i = (uint8_t)((i + 1) & 0xff);
    assert(limit <= 254); // expect: assertion unsafe
    return limit;
}
