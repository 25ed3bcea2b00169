// options: --checks default,cast
// Milliseconds in 16 bits.
#include <stdint.h>
uint16_t nondet_ushort(void);

int main(void)
{
    uint16_t seconds = nondet_ushort();
    uint16_t ms = (uint16_t)(seconds * 1000u); // expect: cast unsafe
    return ms == 7;
}
