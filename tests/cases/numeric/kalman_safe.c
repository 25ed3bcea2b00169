// One step of a scalar Kalman filter in floats: the gain is a share, and the variance gets
// smaller than that of a measurement.
#include <assert.h>

extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

static float between(float low, float high) {
    float x = __VERIFIER_nondet_float();
    __VERIFIER_assume(x >= low && x <= high);
    return x;
}

int main(void) {
    float x = between(-100.0f, 100.0f), p = between(0.5f, 2.0f), z = between(-100.0f, 100.0f);
    p = p + 0.01f;
    float k = p / (p + 0.5f);
    x = x + k * (z - x);
    p = (1.0f - k) * p;
    assert(k > 0.0f && k < 1.0f && p >= 0.0f && p < 0.5f);
    return 0;
}
