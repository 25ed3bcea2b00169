/* What the compiler's own library does for _Complex numbers: products as Annex G of the C standard has them, with
   infinities recovered from parts that are no numbers. Quotients are scaled: of those nothing is said. */
#include "vouch.h"

#define INFINITE(x) ((x) == (x) && (x) - (x) != 0)

/* 1 or 0 for infinite or not, with the sign; 0 for what is no number. */
#define BOX(kind, type)                                                                                \
    static type box_##kind(type x) { return __builtin_copysign(INFINITE(x) ? 1.0 : 0.0, x); }           \
    static type zero_##kind(type x) { return x != x ? __builtin_copysign(0.0, x) : x; }

#define PRODUCT(name, kind, type)                                                                      \
    type _Complex name(type a, type b, type c, type d) {                                               \
        type _Complex z;                                                                               \
        type ac = a * c, bd = b * d, ad = a * d, bc = b * c;                                           \
        _Bool recover = 0;                                                                             \
        __real__ z = ac - bd;                                                                          \
        __imag__ z = ad + bc;                                                                          \
        if (__real__ z == __real__ z || __imag__ z == __imag__ z) return z;                            \
        if (INFINITE(a) || INFINITE(b)) {                                                              \
            a = box_##kind(a), b = box_##kind(b), c = zero_##kind(c), d = zero_##kind(d), recover = 1; \
        }                                                                                              \
        if (INFINITE(c) || INFINITE(d)) {                                                              \
            c = box_##kind(c), d = box_##kind(d), a = zero_##kind(a), b = zero_##kind(b), recover = 1; \
        }                                                                                              \
        if (!recover && (INFINITE(ac) || INFINITE(bd) || INFINITE(ad) || INFINITE(bc))) {              \
            a = zero_##kind(a), b = zero_##kind(b), c = zero_##kind(c), d = zero_##kind(d);            \
            recover = 1;                                                                               \
        }                                                                                              \
        if (recover) {                                                                                 \
            __real__ z = __builtin_inf() * (a * c - b * d);                                            \
            __imag__ z = __builtin_inf() * (a * d + b * c);                                            \
        }                                                                                              \
        return z;                                                                                      \
    }

#define QUOTIENT(name, type, any)                         \
    type _Complex name(type a, type b, type c, type d) {  \
        (void)a, (void)b, (void)c, (void)d;               \
        type _Complex z;                                  \
        __real__ z = any();                               \
        __imag__ z = any();                               \
        return z;                                         \
    }

BOX(single, float)
BOX(twice, double)
BOX(most, long double)
PRODUCT(__mulsc3, single, float)
PRODUCT(__muldc3, twice, double)
QUOTIENT(__divsc3, float, __vouch_any_float)
QUOTIENT(__divdc3, double, __vouch_any_double)
#if __LDBL_MANT_DIG__ == 64
PRODUCT(__mulxc3, most, long double)
QUOTIENT(__divxc3, long double, __vouch_any_ldouble)
#elif __LDBL_MANT_DIG__ == 113
PRODUCT(__multc3, most, long double)
QUOTIENT(__divtc3, long double, __vouch_any_ldouble)
#endif
