// The product of two 16-bit numbers is at most 2^30.
#include <stdint.h>
int16_t nondet_short(void);

int main(void)
{
    int32_t a = nondet_short(), b = nondet_short();
    return a * b == 7;
}
