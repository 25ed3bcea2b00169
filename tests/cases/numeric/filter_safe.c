// A saturating Q15 product sum, as a filter has it: with gains that add up to less than 1 nothing saturates.
#include <assert.h>
#include <stdint.h>
int16_t nondet_short(void);
static int16_t saturate(int32_t x) { return x > 32767 ? 32767 : x < -32768 ? -32768 : (int16_t)x; }

int main(void)
{
    int16_t a = nondet_short(), b = nondet_short(), c = nondet_short();
    int32_t sum = 9830 * (int32_t)a + 13107 * (int32_t)b - 6553 * (int32_t)c;
    int16_t y = saturate((sum + (1 << 14)) >> 15);
    assert(y <= 29489);
    assert(a != b || y * y >= 0);
    return 0;
}
