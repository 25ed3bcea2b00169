// Minus one is out of range for an unsigned type.
#include <stdint.h>
float nondet_float(void);

int main(void)
{
    float f = nondet_float();
    if (f >= -1.5f && f <= 10.0f) {
        uint16_t u = (uint16_t)f; // expect: narrowing unsafe
        return u == 3;
    }
    return 0;
}
