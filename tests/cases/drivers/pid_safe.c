// A controller in fixed point with limits on everything.
#include <stdint.h>

static int32_t limited(int32_t x, int32_t low, int32_t high)
{
    return x < low ? low : x > high ? high : x;
}

int16_t control(int16_t target, int16_t actual, int32_t *integral)
{
    int32_t error = (int32_t)target - actual;
    int32_t sum = limited(*integral, -100000, 100000) + error / 4;
    *integral = limited(sum, -100000, 100000);
    int32_t out = (error * 12 + *integral * 3) / 16;
    return (int16_t)limited(out, -32768, 32767);
}
