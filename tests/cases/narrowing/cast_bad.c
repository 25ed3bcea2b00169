// options: --checks cast
#include <stdint.h>
unsigned nondet_uint(void);

int main(void)
{
    uint8_t high = (uint8_t)nondet_uint(); // expect: cast unsafe
    uint8_t low = (uint8_t)(nondet_uint() & 0xFF);
    int16_t word = (int16_t)(high << 8 | low); // expect: cast unsafe
    return word == 3;
}
