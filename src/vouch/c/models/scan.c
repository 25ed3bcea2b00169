/* The scanf family: each conversion stores an arbitrary value of its type, and scanning may end before any
   of them. */
#include "vouch.h"
#include <stdarg.h>

enum length { INT, CHAR, SHORT, LONG, LLONG, SIZE, DIFF, MAX, LDOUBLE };

static enum length length_of(const char **format) {
    const char *f = *format;
    switch (*f) {
    case 'h': *format += f[1] == 'h' ? 2 : 1; return f[1] == 'h' ? CHAR : SHORT;
    case 'l': *format += f[1] == 'l' ? 2 : 1; return f[1] == 'l' ? LLONG : LONG;
    case 'q': ++*format; return LLONG;
    case 'z': ++*format; return SIZE;
    case 't': ++*format; return DIFF;
    case 'j': ++*format; return MAX;
    case 'L': ++*format; return LDOUBLE;
    default: return INT;
    }
}

static void store_integer(void *to, enum length length) {
    switch (length) {
    case CHAR: *(char *)to = __vouch_nondet_char(); return;
    case SHORT: *(short *)to = __vouch_nondet_short(); return;
    case LONG: *(long *)to = __vouch_nondet_long(); return;
    case LLONG:
    case LDOUBLE: *(long long *)to = __vouch_nondet_llong(); return;
    case SIZE: *(size_t *)to = __vouch_nondet_size_t(); return;
    case DIFF: *(ssize_t *)to = __vouch_nondet_ssize_t(); return;
    case MAX: *(intmax_t *)to = __vouch_nondet_llong(); return;
    default: *(int *)to = __vouch_nondet_int(); return;
    }
}

static void store_float(void *to, enum length length) {
    if (length == LONG) *(double *)to = __vouch_nondet_double();
    else if (length == LDOUBLE) *(long double *)to = __vouch_nondet_ldouble();
    else *(float *)to = __vouch_nondet_float();
}

/* At least one character, at most `width`; without a width as many as it takes to pass the end. */
static void store_text(char *to, size_t width) {
    size_t n = __vouch_nondet_size_t();
    __vouch_assume(n >= 1 && n <= (width ? width : __vouch_object_size(to) + 1));
    __vouch_havoc(to, n);
    __vouch_assume(to[0] != 0);
    to[n] = 0;
}

static void store_wide(wchar_t *to, size_t width) {
    size_t n = __vouch_nondet_size_t();
    __vouch_assume(n >= 1 && n <= (width ? width : __vouch_object_size(to) / sizeof *to + 1));
    __vouch_havoc(to, n * sizeof *to);
    to[n] = 0;
}

static const char *after_set(const char *f) {
    if (*f == '^') f++;
    if (*f == ']') f++;
    while (*f && *f != ']') f++;
    return f;
}

static int scan(const char *f, va_list ap) {
    int done = 0;
    while (*f) {
        if (*f++ != '%') continue;
        if (*f == '%') {
            f++;
            continue;
        }
        _Bool skip = *f == '*';
        if (skip) f++;
        size_t width = 0;
        while (*f >= '0' && *f <= '9') width = width * 10 + (size_t)(*f++ - '0');
        if (*f == 'm') return __vouch_nondet_int(); /* allocates: not modelled */
        enum length length = length_of(&f);
        char conversion = *f;
        if (!conversion) break;
        if (conversion == '[') f = after_set(f + 1);
        f++;
        if (conversion != 'n' && __vouch_nondet_bool()) return done ? done : __vouch_nondet_bool() ? 0 : EOF;
        if (skip) continue;
        void *to = va_arg(ap, void *);
        switch (conversion) {
        case 'd': case 'i': case 'u': case 'x': case 'X': case 'o': store_integer(to, length); break;
        case 'n': store_integer(to, length); continue;
        case 'a': case 'e': case 'f': case 'g': case 'A': case 'E': case 'F': case 'G':
            store_float(to, length);
            break;
        case 'c':
            __vouch_havoc(to, (width ? width : 1) * (length == LONG ? sizeof(wchar_t) : 1));
            break;
        case 's': case '[':
            if (length == LONG) store_wide(to, width);
            else store_text(to, width);
            break;
        case 'p': *(void **)to = __vouch_nondet_ptr(); break;
        default: return done;
        }
        done++;
    }
    return done;
}

#define SCANNER(name)                \
    int name(const char *f, ...) {   \
        va_list ap;                  \
        va_start(ap, f);             \
        int done = scan(f, ap);      \
        va_end(ap);                  \
        return done;                 \
    }                                \
    int v##name(const char *f, va_list ap) { return scan(f, ap); }

#define SCANNER_FROM(name)                               \
    int name(const void *from, const char *f, ...) {     \
        va_list ap;                                      \
        __vouch_touch(from);                             \
        va_start(ap, f);                                 \
        int done = scan(f, ap);                          \
        va_end(ap);                                      \
        return done;                                     \
    }

#define VSCANNER_FROM(name)                                    \
    int name(const void *from, const char *f, va_list ap) {    \
        __vouch_touch(from);                                   \
        return scan(f, ap);                                    \
    }

SCANNER(scanf)
SCANNER_FROM(sscanf)
SCANNER_FROM(fscanf)
VSCANNER_FROM(vsscanf)
VSCANNER_FROM(vfscanf)
SCANNER_FROM(__isoc99_sscanf)
SCANNER_FROM(__isoc99_fscanf)
SCANNER_FROM(__isoc23_sscanf)
SCANNER_FROM(__isoc23_fscanf)
VSCANNER_FROM(__isoc99_vsscanf)
VSCANNER_FROM(__isoc99_vfscanf)

int __isoc99_scanf(const char *f, ...) {
    va_list ap;
    va_start(ap, f);
    int done = scan(f, ap);
    va_end(ap);
    return done;
}

int __isoc23_scanf(const char *f, ...) {
    va_list ap;
    va_start(ap, f);
    int done = scan(f, ap);
    va_end(ap);
    return done;
}
