#ifndef VOUCH_MATH_H
#define VOUCH_MATH_H

#include <vouch_libc.h>

typedef float float_t;
typedef double double_t;

#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VALL __builtin_huge_vall()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define fpclassify(x) __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x)
#define isfinite(x) __builtin_isfinite(x)
#define isinf(x) __builtin_isinf(x)
#define isnan(x) __builtin_isnan(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
#define isgreater(x, y) __builtin_isgreater(x, y)
#define isgreaterequal(x, y) __builtin_isgreaterequal(x, y)
#define isless(x, y) __builtin_isless(x, y)
#define islessequal(x, y) __builtin_islessequal(x, y)
#define islessgreater(x, y) __builtin_islessgreater(x, y)
#define isunordered(x, y) __builtin_isunordered(x, y)

#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

#define __VOUCH_ONE(name) \
    double name(double); \
    float name##f(float); \
    long double name##l(long double);
#define __VOUCH_TWO(name) \
    double name(double, double); \
    float name##f(float, float); \
    long double name##l(long double, long double);
#define __VOUCH_TO(type, name) \
    type name(double); \
    type name##f(float); \
    type name##l(long double);

__VOUCH_BEGIN
__VOUCH_ONE(acos) __VOUCH_ONE(acosh) __VOUCH_ONE(asin) __VOUCH_ONE(asinh) __VOUCH_ONE(atan)
__VOUCH_ONE(atanh) __VOUCH_ONE(cbrt) __VOUCH_ONE(ceil) __VOUCH_ONE(cos) __VOUCH_ONE(cosh)
__VOUCH_ONE(erf) __VOUCH_ONE(erfc) __VOUCH_ONE(exp) __VOUCH_ONE(exp2) __VOUCH_ONE(expm1)
__VOUCH_ONE(fabs) __VOUCH_ONE(floor) __VOUCH_ONE(lgamma) __VOUCH_ONE(log) __VOUCH_ONE(log10)
__VOUCH_ONE(log1p) __VOUCH_ONE(log2) __VOUCH_ONE(logb) __VOUCH_ONE(nearbyint) __VOUCH_ONE(rint)
__VOUCH_ONE(round) __VOUCH_ONE(sin) __VOUCH_ONE(sinh) __VOUCH_ONE(sqrt) __VOUCH_ONE(tan)
__VOUCH_ONE(tanh) __VOUCH_ONE(tgamma) __VOUCH_ONE(trunc)
__VOUCH_TWO(atan2) __VOUCH_TWO(copysign) __VOUCH_TWO(fdim) __VOUCH_TWO(fmax) __VOUCH_TWO(fmin)
__VOUCH_TWO(fmod) __VOUCH_TWO(hypot) __VOUCH_TWO(nextafter) __VOUCH_TWO(pow) __VOUCH_TWO(remainder)
__VOUCH_TO(int, ilogb) __VOUCH_TO(long, lrint) __VOUCH_TO(long long, llrint)
__VOUCH_TO(long, lround) __VOUCH_TO(long long, llround)
double fma(double, double, double);
float fmaf(float, float, float);
long double fmal(long double, long double, long double);
double frexp(double, int *);
float frexpf(float, int *);
double ldexp(double, int);
float ldexpf(float, int);
double scalbn(double, int);
float scalbnf(float, int);
double modf(double, double *);
float modff(float, float *);
double nan(const char *);
float nanf(const char *);
__VOUCH_END

#endif
