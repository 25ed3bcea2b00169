// A sensor's raw value of 20 bits to hundredths of a degree, with a quadratic correction in fixed point.
#include <assert.h>
#include <stdint.h>

extern unsigned __VERIFIER_nondet_uint(void);

static const int32_t T1 = 27504, T2 = 26435, T3 = -1000;

static int32_t fine(uint32_t raw) {
    int32_t linear = ((((int32_t)(raw >> 3)) - (T1 << 1)) * T2) >> 11;
    int32_t offset = (int32_t)(raw >> 4) - T1;
    int32_t square = (((offset * offset) >> 12) * T3) >> 14;
    return linear + square;
}

int main(void) {
    uint32_t raw = __VERIFIER_nondet_uint() & 0xfffffu;
    int32_t t = (fine(raw) * 5 + 128) >> 8;
    assert(t >= -14088 && t <= 18754); // expect: assertion unsafe
    return 0;
}
