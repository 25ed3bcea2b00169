#include <stdint.h>
float nondet_float(void);

int main(void)
{
    float f = nondet_float();
    if (f > -1.0f && f <= 10.0f) {
        uint16_t u = (uint16_t)f;
        return u == 3;
    }
    return 0;
}
