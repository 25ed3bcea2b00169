// A cast that drops bits is off by default: it says that the loss is meant.
#include <stdint.h>
unsigned nondet_uint(void);

int main(void)
{
    uint8_t high = (uint8_t)nondet_uint(), low = (uint8_t)nondet_uint();
    int16_t word = (int16_t)(high << 8 | low);
    return word == 3;
}
