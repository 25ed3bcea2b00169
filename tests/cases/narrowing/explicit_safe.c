// options: --checks default,cast
// Masked before the cast.
#include <stdint.h>
unsigned nondet_uint(void);

int main(void)
{
    uint32_t word = nondet_uint();
    uint8_t low = (uint8_t)(word & 0xFFu);
    uint8_t high = (uint8_t)(word >> 24);
    return low == high;
}
