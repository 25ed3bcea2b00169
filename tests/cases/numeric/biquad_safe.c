// A biquad filter in floats, started at rest: its output stays below the sum of its impulse response.
#include <assert.h>

extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

typedef struct { float b0, b1, b2, a1, a2, s1, s2; } biquad;

static float step(biquad *f, float x) {
    float y = f->b0 * x + f->s1;
    f->s1 = f->b1 * x - f->a1 * y + f->s2;
    f->s2 = f->b2 * x - f->a2 * y;
    return y;
}

int main(void) {
    biquad f = {0.2f, 0.4f, 0.2f, -0.3f, 0.1f, 0, 0};
    float y = 0;
    for (int i = 0; i < 6; i++) {
        float x = __VERIFIER_nondet_float();
        __VERIFIER_assume(x >= -1.0f && x <= 1.0f);
        y = step(&f, x);
    }
    assert(y <= 1.0545f && y >= -1.0545f);
    return 0;
}
