// The sum of a long buffer does not fit the checksum.
#include <stdint.h>
uint8_t nondet_uchar(void);

int main(void)
{
    uint8_t sum = 0;
    for (int i = 0; i < 3; i++) {
        sum = sum + nondet_uchar(); // expect: narrowing unsafe
    }
    return sum;
}
