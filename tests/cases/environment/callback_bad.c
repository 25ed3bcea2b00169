#include <stdint.h>
struct bus {
    int (*read)(uint8_t reg, uint8_t *data);
};

int temperature(struct bus *b)
{
    uint8_t raw = 0;
    if (b->read(0x10, &raw) != 0) {
        return -1;
    }
    return 1000 / raw; // expect: division-by-zero unsafe
}
