// The integral winds up without limit.
#include <stdint.h>

static int32_t limited(int32_t x, int32_t low, int32_t high)
{
    return x < low ? low : x > high ? high : x;
}

int16_t control(int16_t target, int16_t actual, int32_t *integral)
{
    int32_t error = (int32_t)target - actual;
    *integral += error / 4; // expect: signed-overflow unsafe
    int32_t kept = limited(*integral, -100000, 100000);
    int32_t out = (error * 12 + kept * 3) / 16;
    return (int16_t)limited(out, -32768, 32767);
}
