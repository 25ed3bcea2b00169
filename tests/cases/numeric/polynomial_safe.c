// x - x^3/6 + x^5/120 in floats: at most 1.00079, at 1.5.
#include <assert.h>
float nondet_float(void);

int main(void)
{
    float x = nondet_float();
    if (!(x >= -1.5f && x <= 1.5f)) return 0;
    float s = x * x;
    float y = x * (1.0f - s / 6.0f * (1.0f - s / 20.0f));
    assert(y <= 1.001f);
    return 0;
}
