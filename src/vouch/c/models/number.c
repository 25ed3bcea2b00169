/* Numbers in text. A string whose characters are known is read exactly; any other gives an arbitrary number,
   as if it came from outside. */
#include "vouch.h"

#define ERANGE 34
int *__errno_location(void);

static int space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static int digit(char c, int base) {
    int value = c >= '0' && c <= '9' ? c - '0'
                : c >= 'a' && c <= 'z' ? c - 'a' + 10
                : c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                       : 99;
    return value < base ? value : -1;
}

/* The magnitude of the number at s, its sign and where it ends; `limit` and `over` if it is greater. */
static uintmax_t parse(const char *s, const char **end, int base, _Bool *negative, uintmax_t limit, _Bool *over) {
    size_t i = 0;
    uintmax_t number = 0;
    _Bool any = 0;
    *negative = *over = 0;
    while (space(s[i])) i++;
    if (s[i] == '-' || s[i] == '+') *negative = s[i++] == '-';
    if ((base == 0 || base == 16) && s[i] == '0' && (s[i + 1] | 32) == 'x' && digit(s[i + 2], 16) >= 0) {
        i += 2;
        base = 16;
    } else if (base == 0) {
        base = s[i] == '0' ? 8 : 10;
    }
    for (;; i++) {
        int d = digit(s[i], base);
        if (d < 0) break;
        any = 1;
        if (number > (limit - (uintmax_t)d) / (uintmax_t)base) *over = 1;
        number = number * (uintmax_t)base + (uintmax_t)d;
    }
    *end = any ? s + i : s;
    return *over ? limit : number;
}

/* Characters that a number may have: no more of a text are read than these and the one behind them. */
#define DIGITS "\t\n\v\f\r +-0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/* The end of a number in text that is not known. */
static char *somewhere(const char *s, const char *set) {
    size_t n = __vouch_span(s, set, 1), at = __vouch_nondet_size_t();
    __vouch_assume(at <= n);
    __vouch_sets_errno();
    return (char *)s + at;
}

static char *after_integer(const char *s, int base) {
    return somewhere(s, base > 0 && base <= 10 ? DIGITS : DIGITS LETTERS);
}

#define SIGNED(name, type, unsigned_type, nondet)                                        \
    type name(const char *s, char **end, int base) {                                     \
        const unsigned_type limit = (unsigned_type)-1 >> 1;                              \
        if (!__vouch_known(s)) {                                                         \
            char *stop = after_integer(s, base);                                         \
            if (end) *end = stop;                                                        \
            return nondet();                                                             \
        }                                                                                \
        const char *stop;                                                                \
        _Bool negative, over;                                                            \
        uintmax_t number = parse(s, &stop, base, &negative, (uintmax_t)limit + 1, &over);\
        if (end) *end = (char *)stop;                                                    \
        if (number > limit + (uintmax_t)negative || over) *__errno_location() = ERANGE;  \
        if (negative) return number > limit ? (type)(-(type)limit - 1) : -(type)number;  \
        return number > limit ? (type)limit : (type)number;                              \
    }

#define UNSIGNED(name, type, nondet)                                          \
    type name(const char *s, char **end, int base) {                          \
        if (!__vouch_known(s)) {                                              \
            char *stop = after_integer(s, base);                              \
            if (end) *end = stop;                                             \
            return nondet();                                                  \
        }                                                                     \
        const char *stop;                                                     \
        _Bool negative, over;                                                 \
        type number = (type)parse(s, &stop, base, &negative, (type)-1, &over);\
        if (end) *end = (char *)stop;                                         \
        if (over) *__errno_location() = ERANGE;                               \
        return negative && !over ? -number : number;                          \
    }

SIGNED(strtol, long, unsigned long, __vouch_nondet_long)
SIGNED(strtoll, long long, unsigned long long, __vouch_nondet_llong)
SIGNED(strtoimax, intmax_t, uintmax_t, __vouch_nondet_llong)
UNSIGNED(strtoul, unsigned long, __vouch_nondet_ulong)
UNSIGNED(strtoull, unsigned long long, __vouch_nondet_ullong)
UNSIGNED(strtoumax, uintmax_t, __vouch_nondet_ullong)

long __isoc23_strtol(const char *s, char **end, int base) { return strtol(s, end, base); }
long long __isoc23_strtoll(const char *s, char **end, int base) { return strtoll(s, end, base); }
unsigned long __isoc23_strtoul(const char *s, char **end, int base) { return strtoul(s, end, base); }
unsigned long long __isoc23_strtoull(const char *s, char **end, int base) { return strtoull(s, end, base); }

int atoi(const char *s) { return (int)strtol(s, NULL, 10); }
long atol(const char *s) { return strtol(s, NULL, 10); }
long long atoll(const char *s) { return strtoll(s, NULL, 10); }

/* Fractions are not worked out. */
double strtod(const char *s, char **end) {
    char *stop = somewhere(s, DIGITS LETTERS "._()");
    if (end) *end = stop;
    return __vouch_nondet_double();
}

float strtof(const char *s, char **end) {
    char *stop = somewhere(s, DIGITS LETTERS "._()");
    if (end) *end = stop;
    return __vouch_nondet_float();
}

long double strtold(const char *s, char **end) {
    char *stop = somewhere(s, DIGITS LETTERS "._()");
    if (end) *end = stop;
    return __vouch_nondet_ldouble();
}

double atof(const char *s) { return strtod(s, NULL); }
