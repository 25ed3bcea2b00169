// A PID step with anti-windup: the integral stays clamped, so the output of this step stays below 40.
#include <assert.h>
double nondet_double(void);
static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

int main(void)
{
    double integral = nondet_double(), last = nondet_double(), now = nondet_double();
    if (!(integral >= -10.0 && integral <= 10.0)) return 0;
    if (!(last >= -1.0 && last <= 1.0 && now >= -1.0 && now <= 1.0)) return 0;
    integral = clamp(integral + 0.5 * now, -10.0, 10.0);
    double out = 2.0 * now + 1.5 * integral + 4.0 * (now - last);
    assert(out <= 25.0001);
    return 0;
}
