#include <stdint.h>
float nondet_float(void);

int main(void)
{
    float f = nondet_float();
    if (f >= 0.0f && f < 255.5f) {
        uint8_t b = (uint8_t)f;
        return b == 3;
    }
    return 0;
}
