#include <stdint.h>
uint8_t nondet_uchar(void);

int main(void)
{
    uint8_t a = nondet_uchar();
    a += 1; // expect: narrowing unsafe
    return a == 130;
}
