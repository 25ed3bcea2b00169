// One step of a PID controller in fixed point with a clamped integrator: no overflow, and the clamp is kept.
#include <assert.h>
#include <stdint.h>

extern short __VERIFIER_nondet_short(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

#define LIMIT (1 << 20)
#define OUT 4095

typedef struct { int32_t sum; int16_t before; } pid;

static int32_t step(pid *c, int16_t error) {
    int32_t p = 37 * error;
    int32_t sum = c->sum + 3 * error;
    int32_t d = 11 * (error - c->before);
    int32_t out = (p + sum + d) >> 6;
    if (out > OUT) {
        out = OUT;
        if (error > 0) sum = c->sum; /* no windup */
    } else if (out < -OUT) {
        out = -OUT - 1;
        if (error < 0) sum = c->sum;
    }
    if (sum > LIMIT) sum = LIMIT;
    if (sum < -LIMIT) sum = -LIMIT;
    c->sum = sum;
    c->before = error;
    return out;
}

int main(void) {
    pid c = {__VERIFIER_nondet_int(), __VERIFIER_nondet_short()};
    __VERIFIER_assume(c.sum >= -LIMIT && c.sum <= LIMIT);
    int32_t out = step(&c, __VERIFIER_nondet_short());
    assert(out >= -OUT && out <= OUT && c.sum >= -LIMIT && c.sum <= LIMIT); // expect: assertion unsafe
    return 0;
}
