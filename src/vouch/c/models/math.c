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
SOME(asinh, NUMBER(r) && (x > 0 ? r >= 0 : x < 0 ? r <= 0 : r == 0))
SOME(acosh, x < 1 || (r >= 0 && (x != 1 || r == 0))) /* below 1 not every library has NaN */
SOME(atanh, x < -1 || x > 1 ? !NUMBER(r) : x == 1 ? r == INFINITY : x == -1 ? r == -INFINITY
         : NUMBER(r) && (x > 0 ? r >= 0 : x < 0 ? r <= 0 : r == 0))
SOME(exp, r >= 0 && (x == 0 ? r == 1 : x > 0 ? r >= 1 : r <= 1))
SOME(exp2, r >= 0 && (x == 0 ? r == 1 : x > 0 ? r >= 1 : r <= 1))
SOME(exp10, r >= 0 && (x == 0 ? r == 1 : x > 0 ? r >= 1 : r <= 1))
SOME(expm1, r >= -1 && (x == 0 ? r == 0 : x > 0 ? r >= 0 : r <= 0))
SOME(log, x < 0 ? !NUMBER(r) : x == 0 ? r == -INFINITY : NUMBER(r) && (x > 1 ? r >= 0 : x < 1 ? r <= 0 : r == 0))
SOME(log2, x < 0 ? !NUMBER(r) : x == 0 ? r == -INFINITY : NUMBER(r) && (x > 1 ? r >= 0 : x < 1 ? r <= 0 : r == 0))
SOME(log10, x < 0 ? !NUMBER(r) : x == 0 ? r == -INFINITY : NUMBER(r) && (x > 1 ? r >= 0 : x < 1 ? r <= 0 : r == 0))
SOME(log1p, x < -1 ? !NUMBER(r) : x == -1 ? r == -INFINITY : NUMBER(r) && (x > 0 ? r >= 0 : r <= 0))
SOME(cbrt, NUMBER(r) && (x > 0 ? r >= 0 : x < 0 ? r <= 0 : r == 0))
SOME(erf, r >= -1 && r <= 1 && (x > 0 ? r >= 0 : x < 0 ? r <= 0 : r == 0))
SOME(erfc, r >= 0 && r <= 2)
SOME(tgamma, x > 0 ? r > 0 : 1)

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

long double remainderl(long double x, long double y) {
    long double r = __vouch_any_ldouble();
    NAN_FROM_NAN
    __vouch_assume(FINITE(x) && y != 0 ? NUMBER(r) : !NUMBER(r));
    return r;
}

void sincos(double x, double *sine, double *cosine) {
    *sine = sin(x);
    *cosine = cos(x);
}

void sincosf(float x, float *sine, float *cosine) {
    *sine = sinf(x);
    *cosine = cosf(x);
}

/* Scaling by powers of two, rounded once. */
#if __SIZEOF_DOUBLE__ == 8
#define POWER(n) (((union { unsigned long long bits; double number; }){(unsigned long long)((n) + 1023) << 52}).number)

float ldexpf(float x, int n) { /* a product that double holds exactly */
    if (x - x != 0 || x == 0) return x;
    return (float)((double)x * POWER(n < -300 ? -300 : n > 300 ? 300 : n));
}

double ldexp(double x, int n) { /* steps before the last are exact, or the result is zero or infinite */
    if (x - x != 0 || x == 0) return x;
    for (int i = 0; i < 2; i++)
        if (n > 1023) x *= 0x1p1023, n -= 1023;
        else if (n < -1022) x *= 0x1p-969, n += 969;
    return x * POWER(n > 1023 ? 1023 : n < -1022 ? -1022 : n);
}
#else
float ldexpf(float x, int n) {
    float r = __vouch_any_float();
    if (x - x != 0 || x == 0 || n == 0) return x;
    __vouch_assume(x > 0 ? r >= 0 && (n > 0 ? r >= x : r <= x) : r <= 0 && (n > 0 ? r <= x : r >= x));
    return r;
}

double ldexp(double x, int n) { return ldexpf(x, n); }
#endif

#define LIMITED(n) ((n) > 9999 ? 9999 : (n) < -9999 ? -9999 : (int)(n))

double scalbn(double x, int n) { return ldexp(x, n); }
float scalbnf(float x, int n) { return ldexpf(x, n); }
double scalbln(double x, long n) { return ldexp(x, LIMITED(n)); }
float scalblnf(float x, long n) { return ldexpf(x, LIMITED(n)); }

/* A number as its share of a power of two: the bits of its exponent, once it has all its digits. */
#define SHARE(name, type, bits_type, digits, bias)                                        \
    type name(type x, int *exponent) {                                                    \
        union { type number; bits_type bits; } u = {x};                                   \
        const bits_type ones = 2 * (bits_type)(bias) + 1;                                 \
        int e = 0;                                                                        \
        if (x == 0 || x - x != 0) {                                                       \
            *exponent = x == 0 ? 0 : __vouch_any_int(); /* anything for infinity */       \
            return x;                                                                     \
        }                                                                                 \
        if ((u.bits >> (digits) & ones) == 0) u.number *= 0x1p64f, e = -64;               \
        *exponent = e + (int)(u.bits >> (digits) & ones) - (bias) + 1;                    \
        u.bits = (u.bits & ~(ones << (digits))) | (bits_type)((bias) - 1) << (digits);    \
        return u.number;                                                                  \
    }

SHARE(frexpf, float, __UINT32_TYPE__, 23, 127)
#if __SIZEOF_DOUBLE__ == 8
SHARE(frexp, double, unsigned long long, 52, 1023)
#else
double frexp(double x, int *exponent) { return frexpf(x, exponent); }
#endif

#define EXPONENT(type, f)                                                                 \
    type logb##f(type x) {                                                                \
        int e;                                                                            \
        if (x - x != 0) return x * x;                                                     \
        if (x == 0) return -INFINITY;                                                     \
        frexp##f(x, &e);                                                                  \
        return (type)(e - 1);                                                             \
    }                                                                                     \
    int ilogb##f(type x) {                                                                \
        int e;                                                                            \
        if (x == 0 || x != x) return __vouch_any_int(); /* each library has its own */    \
        if (x - x != 0) return __INT_MAX__;                                               \
        frexp##f(x, &e);                                                                  \
        return e - 1;                                                                     \
    }

EXPONENT(double, )
EXPONENT(float, f)

/* x less the multiple of y that is nearest, of two the even one. Where the rest is more than half of y, its
   distance from y is exact. */
#define NEAREST(type, f)                                                                  \
    type remainder##f(type x, type y) {                                                   \
        type a = fabs##f(x), b = fabs##f(y), rest, other;                                 \
        if (x != x || y != y) return x + y;                                               \
        if (x - x != 0 || y == 0) return (x - x) / (x - x);                               \
        if (y - y != 0) return x;                                                         \
        rest = fmod##f(a, b), other = b - rest;                                           \
        if (rest > other || (rest == other && (b + b - (b + b) != 0 ? a : fmod##f(a, b + b)) >= b)) \
            rest = -other;                                                                \
        return __builtin_signbit(x) ? -rest : rest;                                       \
    }

NEAREST(double, )
NEAREST(float, f)

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
