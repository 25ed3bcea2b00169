// 200 as a signed byte would be negative.
#include <stdint.h>
uint8_t nondet_uchar(void);

int main(void)
{
    uint8_t u = nondet_uchar();
    int8_t s = 0;
    if (u < 128u) {
        s = (int8_t)u;
    }
    return s;
}
