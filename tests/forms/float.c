#include <complex.h>
#include <math.h>
typedef float v4 __attribute__((vector_size(16)));
typedef double v4d __attribute__((vector_size(32)));

static int finite_number(double x) { return x == x && x < INFINITY && x > -INFINITY; }
static _Atomic float shared;
static float plain;

int sum_bad(double a, double b) { return finite_number(a + b); }
int sum_safe(double a, double b) { return finite_number((float)(a > 1 || a < 0 ? 0 : a) + 1.0); }
int difference_bad(double a, double b) { return finite_number(a - b); }
int difference_safe(double a, double b) { return finite_number(a > 0 && a < 9 ? a - 1.0 : 1); }
int product_bad(double a, double b) { return finite_number(a * b); }
int product_safe(double a, double b) { return finite_number(a > 0 && a < 9 ? a * 8.0 : 1); }
int quotient_bad(double a, double b) { return finite_number(a / b); }
int quotient_safe(double a, double b) { return finite_number(a > 0 && a < 9 ? a / 8.0 : 1); }
int compound_bad(double a, double b) { a *= b; return finite_number(a); }
int compound_safe(double a, double b) { if (a > 9 || a < 0) return 1; a *= 2; return finite_number(a); }
int shorter_bad(double a, double b) { return finite_number((float)a); }
int shorter_safe(double a, double b) { return finite_number(a > 0 && a < 9 ? (float)a : 1); }
int half_bad(double a, double b) { return finite_number((_Float16)(int)(a > 1e6 ? 1000000 : 1)); }
int half_safe(double a, double b) { return finite_number((_Float16)(int)(a > 1e6 ? 1000 : 1)); }
int root_bad(double a, double b) { return finite_number(sqrt(-a)); }
int root_safe(double a, double b) { return finite_number(sqrt(a > 0 ? a : 1)); }
int small_root_bad(double a, double b) { return finite_number(sqrtf(a > 5 ? -2.0f : 1.0f)); }
int small_root_safe(double a, double b) { return finite_number(sqrtf(a > 5 ? 2.0f : 1.0f)); }
int builtin_bad(double a, double b) { return finite_number(__builtin_sqrt(-a)); }
int builtin_safe(double a, double b) { return finite_number(__builtin_sqrt(a > 0 ? a : 1)); }
int exponential_bad(double a, double b) { return finite_number(exp(a)); }
int exponential_safe(double a, double b) { return finite_number(exp(a * 0)); }
int two_to_bad(double a, double b) { return finite_number(exp2(a)); }
int two_to_safe(double a, double b) { return finite_number(exp2(0)); }
int logarithm_bad(double a, double b) { return finite_number(log(-a)); }
int logarithm_safe(double a, double b) { return finite_number(log(2)); }
int decimal_bad(double a, double b) { return finite_number(log10(-a)); }
int decimal_safe(double a, double b) { return finite_number(log10(2)); }
int power_bad(double a, double b) { return finite_number(pow(a, b)); }
int power_safe(double a, double b) { return finite_number(pow(2, 2)); }
int remainder_bad(double a, double b) { return finite_number(fmod(a, b * 0)); }
int remainder_safe(double a, double b) { return finite_number(fmod(3, 2)); }
int hyperbolic_bad(double a, double b) { return finite_number(sinh(a)); }
int hyperbolic_safe(double a, double b) { return finite_number(sinh(0)); }
int angle_bad(double a, double b) { return finite_number(acos(a)); }
int angle_safe(double a, double b) { return finite_number(acos(0)); }
int gamma_bad(double a, double b) { return finite_number(tgamma(a)); }
int gamma_safe(double a, double b) { return finite_number(tgamma(2)); }
int distance_bad(double a, double b) { return finite_number(hypot(a, b)); }
int distance_safe(double a, double b) { return finite_number(hypot(3, 4)); }
int scaled_bad(double a, double b) { return finite_number(ldexp(a, 2000)); }
int scaled_safe(double a, double b) { return finite_number(ldexp(1, 20)); }
int fused_bad(double a, double b) { return finite_number(fma(a, b, a)); }
int fused_safe(double a, double b) { return finite_number(fma(1, 2, 3)); }
int vector_bad(double a, double b) { v4d x = {1, a, 2, 3}, y = {1, b, 1, 1}; v4d z = x * y; return finite_number(z[1]); }
int vector_safe(double a, double b) { v4d x = {1, 4, 2, 3}, y = {1, 9, 1, 1}; v4d z = x * y; return finite_number(z[1]); }
int shorter_vector_bad(double a, double b) { v4d x = {1, a, 2, 3}; v4 y = __builtin_convertvector(x, v4); return finite_number(y[1]); }
int shorter_vector_safe(double a, double b) { v4d x = {1, 9, 2, 3}; v4 y = __builtin_convertvector(x, v4); return finite_number(y[1]); }
int atomic_bad(double a, double b) { shared = 3e38f; shared += (float)(a > 5 ? 3e38f : 1.0f); return finite_number(shared); }
int atomic_safe(double a, double b) { shared = 3e3f; shared += (float)(a > 5 ? 3e3f : 1.0f); return finite_number(shared); }
int fetched_bad(double a, double b) { plain = 3e38f; __atomic_fetch_add(&plain, a > 5 ? 3e38f : 1.0f, __ATOMIC_SEQ_CST); return finite_number(plain); }
int fetched_safe(double a, double b) { plain = 3e3f; __atomic_fetch_add(&plain, a > 5 ? 3e3f : 1.0f, __ATOMIC_SEQ_CST); return finite_number(plain); }
int long_bad(double a, double b) { long double x = a; for (int i = 0; i < 5; i++) x *= x; return x < (long double)INFINITY; }
int long_safe(double a, double b) { long double x = 2; x *= 3; return x < (long double)INFINITY; }
int complex_bad(double a, double b) { double complex z = a + b * I; z = z * z; return finite_number(creal(z)); }
int complex_safe(double a, double b) { double complex z = 1 + 2 * I; z = z * z; return finite_number(creal(z)); }
int folded_bad(double a, double b) { double x = 1e308; x = x * 10; return finite_number(x); }
int folded_safe(double a, double b) { double x = 1e300; x = x * 10; return finite_number(x); }
int increment_bad(double a, double b) { float x = (float)(a > 5 ? 3e38 : 1); x += x; return finite_number(x); }
int increment_safe(double a, double b) { float x = (float)(a > 5 ? 3e3 : 1); x++; return finite_number(x); }

#ifdef NATIVE
#define SEEN(name) IS(name##_bad) return !name##_bad(1e308, 1e308); IS(name##_safe) return !name##_safe(1e308, 1e308);
SEEN(sum) IS(difference_bad) return !difference_bad(1e308, -1e308); IS(difference_safe) return 0;
SEEN(product) IS(quotient_bad) return !quotient_bad(1e308, 0); IS(quotient_safe) return 0;
SEEN(compound) SEEN(shorter) SEEN(half) SEEN(root) SEEN(small_root) SEEN(builtin) SEEN(exponential) SEEN(two_to)
SEEN(logarithm) SEEN(decimal) SEEN(power) SEEN(remainder) SEEN(hyperbolic) SEEN(angle) SEEN(gamma) IS(distance_bad) return !distance_bad(1.7e308, 1.7e308); IS(distance_safe) return 0;
SEEN(scaled) SEEN(fused) SEEN(vector) SEEN(shorter_vector) SEEN(atomic) SEEN(fetched) SEEN(long) SEEN(complex)
SEEN(folded) SEEN(increment)
#endif
