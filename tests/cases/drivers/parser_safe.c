// A length byte, checked before the payload is copied.
#include <stdint.h>
#include <string.h>

int parse(const uint8_t frame[16], uint8_t out[8])
{
    uint8_t length = frame[0];
    if (length > 8u) {
        return -1;
    }
    memcpy(out, &frame[1], length);
    return length;
}
