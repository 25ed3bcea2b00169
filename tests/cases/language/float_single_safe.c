#include <assert.h>
float nondet_float(void);

int main(void)
{
    float a = nondet_float();
    if (a > 1.0f && a < 100.0f) {
        assert(a * 0.5f < a);
    }
    return 0;
}
