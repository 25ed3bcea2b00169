// Packed decimal from a clock chip: nibbles above nine are possible on the wire.
#include <assert.h>
#include <stdint.h>

uint8_t from_bcd(uint8_t bcd)
{
    uint8_t value = (uint8_t)((bcd >> 4) * 10u + (bcd & 0x0Fu));
    assert(value <= 99u); // expect: assertion unsafe
    return value;
}
