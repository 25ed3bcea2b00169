#include <assert.h>
#include <stdint.h>
struct __attribute__((packed)) frame {
    uint8_t id;
    uint32_t value;
    uint16_t crc;
};
uint32_t nondet_uint(void);

int main(void)
{
    struct frame f = {1, nondet_uint(), 3};
    uint8_t *raw = (uint8_t *)&f;
    assert(sizeof f == 7 && raw[0] == 1 && raw[5] == 3);
    return raw[6];
}
