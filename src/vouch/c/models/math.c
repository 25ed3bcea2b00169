/* math.h: exact where one operation of the processor or of IEEE 754 does it; for the others what their
   range and their special cases say. */
#include "vouch.h"

#define INFINITY __builtin_inf()

#define EXACT(name, builtin)                                    \
    double name(double x) { return builtin(x); }                \
    float name##f(float x) { return builtin(x); }               \
    long double name##l(long double x) { return builtin(x); }

EXACT(sqrt, __builtin_elementwise_sqrt)
EXACT(fabs, __builtin_elementwise_abs)
EXACT(floor, __builtin_elementwise_floor)
EXACT(ceil, __builtin_elementwise_ceil)
EXACT(trunc, __builtin_elementwise_trunc)
EXACT(round, __builtin_elementwise_round)
EXACT(rint, __builtin_elementwise_rint)
EXACT(nearbyint, __builtin_elementwise_nearbyint)

#define ROUNDING(result, name, by)                     \
    result name(double x) { return (result)by(x); }    \
    result name##f(float x) { return (result)by(x); }  \
    result name##l(long double x) { return (result)by(x); }

ROUNDING(long, lround, __builtin_elementwise_round)
ROUNDING(long long, llround, __builtin_elementwise_round)
ROUNDING(long, lrint, __builtin_elementwise_rint)
ROUNDING(long long, llrint, __builtin_elementwise_rint)

/* What the macros of math.h expand to in some libraries, and their older names. */
#define KINDS(type, f)                                                                                \
    int isnan##f(type x) { return x != x; }                                                           \
    int isinf##f(type x) { return x == INFINITY ? 1 : x == -INFINITY ? -1 : 0; }                      \
    int finite##f(type x) { return x - x == 0; }                                                      \
    int __isnan##f(type x) { return x != x; }                                                         \
    int __isinf##f(type x) { return x == INFINITY ? 1 : x == -INFINITY ? -1 : 0; }                    \
    int __finite##f(type x) { return x - x == 0; }                                                    \
    int __signbit##f(type x) { return __builtin_signbit(x); }                                         \
    int __fpclassify##f(type x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }

KINDS(double, )
KINDS(float, f)
KINDS(long double, l)

double fmod(double x, double y) { return __builtin_elementwise_fmod(x, y); }
float fmodf(float x, float y) { return __builtin_elementwise_fmod(x, y); }
long double fmodl(long double x, long double y) { return __builtin_elementwise_fmod(x, y); }

double fmax(double x, double y) { return x != x ? y : y != y ? x : x < y ? y : x; }
double fmin(double x, double y) { return x != x ? y : y != y ? x : x < y ? x : y; }
float fmaxf(float x, float y) { return x != x ? y : y != y ? x : x < y ? y : x; }
float fminf(float x, float y) { return x != x ? y : y != y ? x : x < y ? x : y; }
double fdim(double x, double y) { return x != x || y != y ? x + y : x > y ? x - y : 0; }
float fdimf(float x, float y) { return x != x || y != y ? x + y : x > y ? x - y : 0; }

double modf(double x, double *whole) {
    *whole = __builtin_elementwise_trunc(x);
    return x != x ? x : __builtin_copysign(x - x != 0 ? 0.0 : x - *whole, x);
}

float modff(float x, float *whole) {
    *whole = __builtin_elementwise_trunc(x);
    return x != x ? x : __builtin_copysignf(x - x != 0 ? 0.0f : x - *whole, x);
}

/* A function of one number; `holds` says what is known of the result r for an x that is a number. */
#define SOME(name, holds)                                          \
    double name(double x) {                                        \
        double r = __vouch_any_double();                           \
        if (x != x) return x;                                      \
        __vouch_assume(holds);                                     \
        return r;                                                  \
    }                                                              \
    float name##f(float x) {                                       \
        float r = __vouch_any_float();                             \
        if (x != x) return x;                                      \
        __vouch_assume(holds);                                     \
        return r;                                                  \
    }                                                              \
    long double name##l(long double x) {                           \
        long double r = __vouch_any_ldouble();                     \
        if (x != x) return x;                                      \
        __vouch_assume(holds);                                     \
        return r;                                                  \
    }

#define NUMBER(r) ((r) == (r))
#define FINITE(x) ((x) - (x) == 0)

SOME(sin, FINITE(x) ? r >= -1 && r <= 1 && (x != 0 || r == 0) : !NUMBER(r))
SOME(cos, FINITE(x) ? r >= -1 && r <= 1 && (x != 0 || r == 1) : !NUMBER(r))
SOME(tan, FINITE(x) ? NUMBER(r) && (x != 0 || r == 0) : !NUMBER(r))
SOME(asin, x >= -1 && x <= 1 ? r >= -1.5707964f && r <= 1.5707964f : !NUMBER(r))
SOME(acos, x >= -1 && x <= 1 ? r >= 0 && r <= 3.1415928f : !NUMBER(r))
SOME(atan, r >= -1.5707964f && r <= 1.5707964f && (x > 0 ? r >= 0 : x < 0 ? r <= 0 : r == 0))
SOME(sinh, NUMBER(r) && (x > 0 ? r >= 0 : x < 0 ? r <= 0 : r == 0))
SOME(cosh, r >= 1)
SOME(tanh, r >= -1 && r <= 1 && (x > 0 ? r >= 0 : x < 0 ? r <= 0 : r == 0))
SOME(exp, r >= 0 && (x == 0 ? r == 1 : x > 0 ? r >= 1 : r <= 1))
SOME(exp2, r >= 0 && (x == 0 ? r == 1 : x > 0 ? r >= 1 : r <= 1))
SOME(expm1, r >= -1 && (x == 0 ? r == 0 : x > 0 ? r >= 0 : r <= 0))
SOME(log, x < 0 ? !NUMBER(r) : x == 0 ? r == -INFINITY : NUMBER(r) && (x > 1 ? r >= 0 : x < 1 ? r <= 0 : r == 0))
SOME(log2, x < 0 ? !NUMBER(r) : x == 0 ? r == -INFINITY : NUMBER(r) && (x > 1 ? r >= 0 : x < 1 ? r <= 0 : r == 0))
SOME(log10, x < 0 ? !NUMBER(r) : x == 0 ? r == -INFINITY : NUMBER(r) && (x > 1 ? r >= 0 : x < 1 ? r <= 0 : r == 0))
SOME(log1p, x < -1 ? !NUMBER(r) : x == -1 ? r == -INFINITY : NUMBER(r) && (x > 0 ? r >= 0 : r <= 0))
SOME(cbrt, NUMBER(r) && (x > 0 ? r >= 0 : x < 0 ? r <= 0 : r == 0))
SOME(erf, r >= -1 && r <= 1 && (x > 0 ? r >= 0 : x < 0 ? r <= 0 : r == 0))
SOME(erfc, r >= 0 && r <= 2)

#define SOME_OF_TWO(name, special, holds)                            \
    double name(double x, double y) {                                \
        double r = __vouch_any_double();                             \
        special __vouch_assume(holds);                               \
        return r;                                                    \
    }                                                                \
    float name##f(float x, float y) {                                \
        float r = __vouch_any_float();                               \
        special __vouch_assume(holds);                               \
        return r;                                                    \
    }                                                                \
    long double name##l(long double x, long double y) {              \
        long double r = __vouch_any_ldouble();                       \
        special __vouch_assume(holds);                               \
        return r;                                                    \
    }

#define NAN_FROM_NAN \
    if (x != x || y != y) return x + y;

SOME_OF_TWO(pow, if (y == 0 || x == 1) return 1; NAN_FROM_NAN, x > 0 ? r >= 0 : 1)
SOME_OF_TWO(atan2, NAN_FROM_NAN, r >= -3.1415928f && r <= 3.1415928f)
SOME_OF_TWO(hypot, , r >= 0 || !NUMBER(r))
SOME_OF_TWO(remainder, NAN_FROM_NAN, FINITE(x) && y != 0 ? NUMBER(r) : !NUMBER(r))

void sincos(double x, double *sine, double *cosine) {
    *sine = sin(x);
    *cosine = cos(x);
}

void sincosf(float x, float *sine, float *cosine) {
    *sine = sinf(x);
    *cosine = cosf(x);
}

/* Scaling by powers of two is exact but for overflow and underflow; only its sign and order are told. */
double ldexp(double x, int n) {
    double r = __vouch_any_double();
    if (x - x != 0 || x == 0 || n == 0) return x;
    __vouch_assume(x > 0 ? r >= 0 && (n > 0 ? r >= x : r <= x) : r <= 0 && (n > 0 ? r <= x : r >= x));
    return r;
}

float ldexpf(float x, int n) {
    float r = __vouch_any_float();
    if (x - x != 0 || x == 0 || n == 0) return x;
    __vouch_assume(x > 0 ? r >= 0 && (n > 0 ? r >= x : r <= x) : r <= 0 && (n > 0 ? r <= x : r >= x));
    return r;
}

double scalbn(double x, int n) { return ldexp(x, n); }
float scalbnf(float x, int n) { return ldexpf(x, n); }

double frexp(double x, int *exponent) {
    double r = __vouch_any_double();
    int e = __vouch_any_int();
    *exponent = x == 0 ? 0 : e; /* anything for infinity */
    if (x - x != 0 || x == 0) return x;
    __vouch_assume(x > 0 ? r >= 0.5 && r < 1 : r <= -0.5 && r > -1);
    __vouch_assume(e >= -1073 && e <= 1024);
    *exponent = e;
    return r;
}

float frexpf(float x, int *exponent) {
    float r = __vouch_any_float();
    int e = __vouch_any_int();
    *exponent = x == 0 ? 0 : e; /* anything for infinity */
    if (x - x != 0 || x == 0) return x;
    __vouch_assume(x > 0 ? r >= 0.5f && r < 1 : r <= -0.5f && r > -1);
    __vouch_assume(e >= -148 && e <= 128);
    *exponent = e;
    return r;
}

/* The neighbour of x on the way to y: numbers of one sign are ordered as their bits are. */
#define NEIGHBOUR(name, type, bits_type)                                        \
    type name(type x, type y) {                                                 \
        union { type number; bits_type bits; } u = {x}, sign = {y};             \
        const bits_type top = (bits_type)1 << (8 * sizeof u.bits - 1);          \
        if (x != x || y != y) return x + y;                                     \
        if (x == y) return y;                                                   \
        if (x == 0) {                                                           \
            u.bits = (sign.bits & top) | 1;                                     \
            return u.number;                                                    \
        }                                                                       \
        if ((x < y) == (x > 0)) u.bits++;                                       \
        else u.bits--;                                                          \
        return u.number;                                                        \
    }

#if __SIZEOF_DOUBLE__ == 8
NEIGHBOUR(nextafter, double, unsigned long long)
#endif
NEIGHBOUR(nextafterf, float, __UINT32_TYPE__)
