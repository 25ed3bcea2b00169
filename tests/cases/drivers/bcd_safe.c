#include <assert.h>
#include <stdint.h>

uint8_t from_bcd(uint8_t bcd)
{
    if ((bcd >> 4) > 9u || (bcd & 0x0Fu) > 9u) {
        return 0u;
    }
    uint8_t value = (uint8_t)((bcd >> 4) * 10u + (bcd & 0x0Fu));
    assert(value <= 99u);
    return value;
}
