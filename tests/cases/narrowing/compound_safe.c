// Promotion to int and back: the sum is kept small enough.
#include <stdint.h>
uint8_t nondet_uchar(void);

int main(void)
{
    uint8_t a = nondet_uchar();
    a = (uint8_t)(a / 2u);
    a += 128;
    return a == 130;
}
