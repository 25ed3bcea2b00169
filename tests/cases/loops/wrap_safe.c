// What an endless loop never gets to is not reached, and what it does is done in its first round.
#include <assert.h>
#include <stdint.h>
static int table[256];
int behind(uint16_t limit) {
    uint8_t i = 0;
    while (i < limit)
        i = (uint8_t)((i + 1) & 0xff);
    assert(limit <= 255);
    return limit;
}
unsigned filled(uint16_t limit) {
    uint8_t i = 0;
    unsigned steps = 3;
    while (i < limit) {
        table[i] = 1;
        i = (uint8_t)((i + 1) & 0xff);
    }
    assert(limit < 256 && i == limit);
    return steps / (unsigned)(limit + 1);
}
