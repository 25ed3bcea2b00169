// Any object may be read byte by byte.
#include <assert.h>
#include <stdint.h>
unsigned nondet_uint(void);

int main(void)
{
    uint32_t word = nondet_uint();
    uint8_t *bytes = (uint8_t *)&word;
    uint32_t again = 0;
    for (int i = 0; i < 4; i++) {
        again |= (uint32_t)bytes[i] << (8 * i);
    }
    assert(again == word);
    return 0;
}
