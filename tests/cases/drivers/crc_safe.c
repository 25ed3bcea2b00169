// options: --checks default,cast
// A table-less CRC-8 over a message.
#include <stdint.h>

uint8_t crc8(const uint8_t *data)
{
    uint8_t crc = 0xFFu;
    for (uint8_t i = 0u; i < 4u; i++) {
        crc ^= data[i];
        for (uint8_t bit = 0u; bit < 8u; bit++) {
            uint32_t wide = (uint32_t)crc << 1;
            crc = (uint8_t)(((crc & 0x80u) != 0u ? wide ^ 0x31u : wide) & 0xFFu);
        }
    }
    return crc;
}
