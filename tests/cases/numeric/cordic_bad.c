// Sine and cosine by CORDIC in fixed point, for all angles between -90 and 90 degrees: sum of squares near 1.
#include <assert.h>
#include <stdint.h>

extern short __VERIFIER_nondet_short(void);
extern void __VERIFIER_assume(int);

static const int16_t angles[] = {8192, 4836, 2555, 1297, 651, 326, 163, 81, 41, 20, 10, 5};

static void cordic(int32_t z, int32_t *c, int32_t *s) {
    int32_t x = 9949, y = 0; /* 0.60725 in 2.14 */
    for (int i = 0; i < 12; i++) {
        int32_t dx = y >> i, dy = x >> i;
        if (z >= 0) {
            x -= dx;
            y += dy;
            z -= angles[i];
        } else {
            x += dx;
            y -= dy;
            z += angles[i];
        }
    }
    *c = x;
    *s = y;
}

int main(void) {
    int16_t angle = __VERIFIER_nondet_short(); /* 16384 is 90 degrees */
    __VERIFIER_assume(angle >= -16384 && angle <= 16384);
    int32_t c, s;
    cordic(angle, &c, &s);
    int32_t norm = (c * c + s * s) >> 14;
    assert(norm > 16384 - 8 && norm < 16384 + 16); // expect: assertion unsafe
    return 0;
}
