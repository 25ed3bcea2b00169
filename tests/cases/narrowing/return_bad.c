#include <stdint.h>
int nondet_int(void);

static uint8_t clamp(int x)
{
    return x < 0 ? 0 : x > 256 ? 255 : x; // expect: narrowing unsafe
}

int main(void)
{
    return clamp(nondet_int()) == 7;
}
