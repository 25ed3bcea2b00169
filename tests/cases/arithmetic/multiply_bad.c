// uint16_t promotes to int: 65535 * 65535 does not fit.
#include <stdint.h>
uint16_t nondet_ushort(void);

int main(void)
{
    uint16_t a = nondet_ushort(), b = nondet_ushort();
    return a * b == 7; // expect: signed-overflow unsafe
}
