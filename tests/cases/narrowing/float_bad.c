// NaN fails every comparison and slips through.
#include <stdint.h>
float nondet_float(void);

int main(void)
{
    float f = nondet_float();
    if (f < 0.0f || f > 255.0f) {
        return 0;
    }
    uint8_t b = (uint8_t)f; // expect: narrowing unsafe
    return b == 3;
}
