/* The scanf family. Of unknown text each conversion stores an arbitrary value of its type, and scanning may
   end before any of them. A string that is known is scanned exactly, but for the values of fractions. */
#include "conversion.h"
#include "vouch.h"
#include <stdarg.h>

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

/* Where the text ends before there are as many, some libraries keep those that there were. */
static void store_characters(char *to, size_t width, size_t size) {
    size_t n = __vouch_nondet_size_t();
    __vouch_assume(n >= 1 && n <= width);
    __vouch_access(to, width * size, 1);
    __vouch_havoc(to, n * size);
}

static int blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static int stopped(int done) { return done ? done : __vouch_nondet_bool() ? 0 : EOF; }

static int scan(const char *f, va_list ap) {
    int done = 0;
    if (!__vouch_known(f)) {
        __vouch_length(f, EVERYTHING, 1);
        __vouch_unsupported(); /* it may write through any of its arguments */
    }
    __vouch_sets_errno();
    while (*f) {
        if (*f != '%' || f[1] == '%') { /* text that may not be there: what is behind it is not scanned then */
            if (!blank(*f) && __vouch_nondet_bool()) return stopped(done);
            f += *f == '%' ? 2 : 1;
            continue;
        }
        f++;
        _Bool skip = *f == '*';
        if (skip) f++;
        size_t width = 0;
        while (*f >= '0' && *f <= '9') width = width * 10 + (size_t)(*f++ - '0');
        if (*f == 'm' || *f == '$' || *f == '\'') __vouch_unsupported(); /* allocates; another order */
        enum length length = length_of(&f);
        char conversion = *f;
        if (!conversion) break;
        if (conversion == '[') f = after_set(f + 1);
        f++;
        if (conversion != 'n' && __vouch_nondet_bool()) return stopped(done);
        if (skip) continue;
        void *to = va_arg(ap, void *);
        switch (conversion) {
        case 'd': case 'i': case 'u': case 'x': case 'X': case 'o': store_integer(to, length); break;
        case 'n': store_integer(to, length); continue;
        case 'a': case 'e': case 'f': case 'g': case 'A': case 'E': case 'F': case 'G':
            store_float(to, length);
            break;
        case 'c': store_characters(to, width ? width : 1, length == LONG ? sizeof(wchar_t) : 1); break;
        case 's': case '[':
            if (length == LONG) store_wide(to, width);
            else store_text(to, width);
            break;
        case 'p': *(void **)to = __vouch_nondet_ptr(); break;
        default: __vouch_unsupported();
        }
        done++;
    }
    return done;
}

/* -------- known text */

static void assign_integer(void *to, enum length length, uintmax_t number) {
    switch (length) {
    case CHAR: *(char *)to = (char)number; return;
    case SHORT: *(short *)to = (short)number; return;
    case LONG: *(long *)to = (long)number; return;
    case LLONG:
    case LDOUBLE: *(long long *)to = (long long)number; return;
    case SIZE:
    case DIFF: *(size_t *)to = (size_t)number; return;
    case MAX: *(uintmax_t *)to = number; return;
    default: *(int *)to = (int)number; return;
    }
}

static int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* Characters of s, at most `width`, that make up an integer; 0 if there is none. */
static size_t integer_at(const char *s, size_t width, int base, uintmax_t *number) {
    size_t i = 0;
    _Bool negative = 0, any = 0;
    uintmax_t value = 0;
    if (width > i && (s[i] == '-' || s[i] == '+')) negative = s[i++] == '-';
    if ((base == 0 || base == 16) && width > i && s[i] == '0') {
        any = 1;
        i++;
        if (width > i && (s[i] | 32) == 'x') {
            i++; /* glibc takes a lone 0x for 0 */
            base = 16;
        } else if (base == 0) {
            base = 8;
        }
    }
    if (base == 0) base = 10;
    for (; width > i && digit(s[i]) < base; i++) {
        value = value * (uintmax_t)base + (uintmax_t)digit(s[i]);
        any = 1;
    }
    *number = negative ? -value : value;
    return any ? i : 0;
}

/* Characters of s that could be of a fraction. */
static size_t fraction_at(const char *s, size_t width) {
    size_t i = 0;
    _Bool any = 0;
    if (width > i && (s[i] == '-' || s[i] == '+')) i++;
    for (; width > i && digit(s[i]) < 10; i++) any = 1;
    if (width > i && s[i] == '.') i++;
    for (; width > i && digit(s[i]) < 10; i++) any = 1;
    if (any && width > i && (s[i] | 32) == 'e') {
        size_t j = i + 1;
        if (width > j && (s[j] == '-' || s[j] == '+')) j++;
        if (width > j && digit(s[j]) < 10) {
            while (width > j && digit(s[j]) < 10) j++;
            i = j;
        }
    }
    return any ? i : 0;
}

/* Whether c is in the set that f, after the [, spells. */
static _Bool in_set(const char *f, char c) {
    _Bool except = *f == '^', found = 0, first = 1;
    if (except) f++;
    for (; *f && (*f != ']' || first); f++) {
        first = 0;
        if (f[1] == '-' && f[2] && f[2] != ']') {
            if (c >= f[0] && c <= f[2]) found = 1;
            f += 2;
        } else if (*f == c) {
            found = 1;
        }
    }
    return found != except;
}

static int scan_known(const char *s, const char *f, va_list ap) {
    const char *start = s;
    int done = 0;
    while (*f) {
        if (blank(*f)) {
            while (blank(*s)) s++;
            f++;
            continue;
        }
        if (*f != '%' || f[1] == '%') {
            if (*f == '%') {
                f++;
                while (blank(*s)) s++;
            }
            if (!*s) return done ? done : EOF;
            if (*s++ != *f++) return done;
            continue;
        }
        f++;
        _Bool skip = *f == '*';
        if (skip) f++;
        size_t width = 0, n = 0;
        while (*f >= '0' && *f <= '9') width = width * 10 + (size_t)(*f++ - '0');
        enum length length = length_of(&f);
        char conversion = *f++;
        const char *set = f;
        if (conversion == '[') f = after_set(f) + 1;
        if (conversion == 'n') {
            if (!skip) assign_integer(va_arg(ap, void *), length, (uintmax_t)(s - start));
            continue;
        }
        if (conversion != 'c' && conversion != '[')
            while (blank(*s)) s++;
        if (!*s) return done ? done : EOF;
        size_t most = width ? width : conversion == 'c' ? 1 : (size_t)-1;
        uintmax_t number = 0;
        switch (conversion) {
        case 'd': case 'u': n = integer_at(s, most, 10, &number); break;
        case 'i': n = integer_at(s, most, 0, &number); break;
        case 'x': case 'X': n = integer_at(s, most, 16, &number); break;
        case 'o': n = integer_at(s, most, 8, &number); break;
        case 's': while (n < most && s[n] && !blank(s[n])) n++; break;
        case 'c': while (n < most && s[n]) n++; break;
        case '[': while (n < most && s[n] && in_set(set, s[n])) n++; break;
        default: n = fraction_at(s, most);
        }
        if (!n) return done;
        if (!skip) {
            void *to = va_arg(ap, void *);
            done++;
            switch (conversion) {
            case 'd': case 'u': case 'i': case 'x': case 'X': case 'o': assign_integer(to, length, number); break;
            case 's': case '[': case 'c':
                __vouch_copy_text(to, s, n);
                if (conversion != 'c') ((char *)to)[n] = 0;
                break;
            default: store_float(to, length);
            }
        }
        s += n;
    }
    return done;
}

static int scan_string(const char *s, const char *f, va_list ap) {
    if (__vouch_known(s) && __vouch_known(f)) return scan_known(s, f, ap);
    __vouch_length(s, EVERYTHING, 1);
    return scan(f, ap);
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

static int scan_stream(const void *stream, const char *f, va_list ap) {
    __vouch_touch(stream);
    return scan(f, ap);
}

#define SCANNER_FROM(name, by)                           \
    int name(const void *from, const char *f, ...) {     \
        va_list ap;                                      \
        va_start(ap, f);                                 \
        int done = by(from, f, ap);                      \
        va_end(ap);                                      \
        return done;                                     \
    }

#define VSCANNER_FROM(name, by)                                \
    int name(const void *from, const char *f, va_list ap) { return by(from, f, ap); }

SCANNER(scanf)
SCANNER_FROM(sscanf, scan_string)
SCANNER_FROM(fscanf, scan_stream)
VSCANNER_FROM(vsscanf, scan_string)
VSCANNER_FROM(vfscanf, scan_stream)
SCANNER_FROM(__isoc99_sscanf, scan_string)
SCANNER_FROM(__isoc99_fscanf, scan_stream)
SCANNER_FROM(__isoc23_sscanf, scan_string)
SCANNER_FROM(__isoc23_fscanf, scan_stream)
VSCANNER_FROM(__isoc99_vsscanf, scan_string)
VSCANNER_FROM(__isoc99_vfscanf, scan_stream)

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
