#include <stdint.h>
uint8_t nondet_uchar(void);

int main(void)
{
    uint8_t sum = 0;
    for (int i = 0; i < 3; i++) {
        sum = (uint8_t)((sum + nondet_uchar()) & 0xFF);
    }
    return sum;
}
