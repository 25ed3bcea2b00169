/* Mathematics that LLVM's code generator may call by name: exact operations only. */

#if defined(__i386__) || defined(__x86_64__)
#define ROUNDING WEAK __attribute__((target("sse4.1")))
#define FUSED WEAK __attribute__((target("fma")))
#else
#define ROUNDING WEAK
#define FUSED WEAK
#endif

ROUNDING double floor(double x) { return __builtin_floor(x); }
ROUNDING float floorf(float x) { return __builtin_floorf(x); }
ROUNDING double ceil(double x) { return __builtin_ceil(x); }
ROUNDING float ceilf(float x) { return __builtin_ceilf(x); }
ROUNDING double trunc(double x) { return __builtin_trunc(x); }
ROUNDING float truncf(float x) { return __builtin_truncf(x); }
ROUNDING double rint(double x) { return __builtin_rint(x); }
ROUNDING float rintf(float x) { return __builtin_rintf(x); }
ROUNDING double nearbyint(double x) { return __builtin_nearbyint(x); }
ROUNDING float nearbyintf(float x) { return __builtin_nearbyintf(x); }
ROUNDING double roundeven(double x) { return __builtin_rint(x); }
ROUNDING float roundevenf(float x) { return __builtin_rintf(x); }

ROUNDING double round(double x) { /* halves away from zero */
    double whole = __builtin_trunc(x), rest = x - whole;
    return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : __builtin_copysign(whole, x);
}
ROUNDING float roundf(float x) { return (float)round(x); }

FUSED double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
FUSED float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

WEAK double fmin(double a, double b) { return a != a ? b : b != b ? a : a < b ? a : b; }
WEAK double fmax(double a, double b) { return a != a ? b : b != b ? a : a > b ? a : b; }
WEAK float fminf(float a, float b) { return (float)fmin(a, b); }
WEAK float fmaxf(float a, float b) { return (float)fmax(a, b); }

ROUNDING double modf(double x, double *whole) {
    *whole = __builtin_trunc(x);
    return x != x ? x : __builtin_copysign(x - x != 0 ? 0.0 : x - *whole, x);
}
ROUNDING float modff(float x, float *whole) {
    double before, behind = modf(x, &before);
    *whole = (float)before;
    return (float)behind;
}

WEAK double fmod(double x, double y) { /* exact: subtract y times the largest fitting power of two, again and again */
    if (x != x || y != y || y == 0 || x - x != 0) return (x * y) / (x * y);
    double rest = __builtin_fabs(x), step = __builtin_fabs(y);
    if (step - step != 0) return x;
    while (rest >= step) {
        double part = step;
        while (part <= rest / 2) part *= 2;
        rest -= part;
    }
    return __builtin_copysign(rest, x);
}
WEAK float fmodf(float x, float y) { return (float)fmod(x, y); }
