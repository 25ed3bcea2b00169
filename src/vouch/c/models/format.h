/* What the printf family does with a format and its arguments, for narrow and for wide text.
 *
 * Exact for text, characters and integers; other conversions give arbitrary characters of a length that the
 * conversion can have. Who includes it has defined `unit`, the type of a character, and
 *
 *   own(to, text, n)       stores n characters that this file makes up;
 *   repeated(to, c, n)     stores n times the same character;
 *   unknown(to, n)         stores n characters that the model does not work out;
 *   same_text, other_text  the conversions of strings of units and of the other kind of characters;
 *   character              those of one character.
 */
#ifndef FORMAT_H
#define FORMAT_H

#include "conversion.h"
#include "vouch.h"
#include <stdarg.h>

struct sink {
    unit *to; /* NULL: only count */
    size_t room; /* characters that fit, without the terminator */
    size_t count;
    _Bool failed; /* a character that cannot be encoded */
};

struct spec {
    _Bool left, plus, blank, sharp, zero, precise;
    int width, precision, length;
};

static void put(struct sink *sink, char c) {
    if (sink->to && sink->count < sink->room) sink->to[sink->count] = (unit)c;
    sink->count++;
}

/* How many of the next n characters fit. */
static size_t fitting(const struct sink *sink, size_t n) {
    if (!sink->to || sink->count >= sink->room) return 0;
    return n < sink->room - sink->count ? n : sink->room - sink->count;
}

static void copy(struct sink *sink, const char *text, size_t n) {
    own(sink->to + sink->count, text, fitting(sink, n));
    sink->count += n;
}

static void pad(struct sink *sink, char c, int n) {
    if (n <= 0) return;
    repeated(sink->to + sink->count, c, fitting(sink, (size_t)n));
    sink->count += (size_t)n;
}

static int filling(const struct spec *spec, int before, size_t n) {
    if (!spec->width) return 0; /* as the engine need not find out */
    int fill = spec->width - before;
    return fill > 0 && n < (size_t)fill ? fill - (int)n : 0;
}

/* prefix, zeros, then the text, in a field. */
static void field(struct sink *sink, const struct spec *spec, const char *prefix, int zeros, const char *text,
                  size_t n) {
    int before = (int)strlen(prefix), fill = filling(spec, before + zeros, n);
    if (!spec->left) pad(sink, ' ', fill);
    copy(sink, prefix, (size_t)before);
    pad(sink, '0', zeros);
    copy(sink, text, n);
    if (spec->left) pad(sink, ' ', fill);
}

static int count_digits(uintmax_t number, unsigned base) {
    int n = 0;
    uintmax_t power = 1;
    for (int i = 0; i < 22; i++) { /* 64 bits have at most 22 octal digits */
        if (number >= power && n == i && (i == 0 || power != 0)) n = i + 1;
        power = power > (uintmax_t)-1 / base ? 0 : power * base;
        if (!power) break;
    }
    return n;
}

static void integer(struct sink *sink, const struct spec *spec, uintmax_t number, _Bool negative, char c) {
    unsigned base = c == 'o' ? 8 : c == 'x' || c == 'X' ? 16 : 10;
    char text[24];
    int n = count_digits(number, base);
    uintmax_t power = 1;
    for (int i = 0; i < 22; i++) {
        if (i < n) {
            int d = (int)(number / power % base);
            text[n - 1 - i] = (char)(d < 10 ? '0' + d : (c == 'X' ? 'A' : 'a') + d - 10);
        }
        if (power > (uintmax_t)-1 / base) break;
        power *= base;
    }
    int least = spec->precise ? spec->precision : 1;
    const char *sign = negative ? "-" : c != 'd' ? "" : spec->plus ? "+" : spec->blank ? " " : "";
    if (spec->sharp && c == 'x' && number) sign = "0x";
    if (spec->sharp && c == 'X' && number) sign = "0X";
    if (spec->sharp && c == 'o' && least <= n) least = n + 1;
    int zeros = least > n ? least - n : 0;
    if (!spec->precise && !spec->sharp) zeros = n ? 0 : 1; /* the same, and plainly no more than one */
    if (spec->zero && !spec->left && !spec->precise) {
        int fill = spec->width - (int)strlen(sign) - n;
        if (fill > zeros) zeros = fill;
    }
    field(sink, spec, sign, zeros, text, (size_t)n);
}

/* Some characters: between low and high of them. */
static void something(struct sink *sink, const struct spec *spec, int low, int high) {
    int n = __vouch_any_int();
    __vouch_assume(n >= low && n <= high);
    size_t size = (size_t)(n > spec->width ? n : spec->width);
    unknown(sink->to + sink->count, fitting(sink, size));
    sink->count += size;
}

static int number_of(const char **format) {
    int n = 0;
    while (**format >= '0' && **format <= '9') n = n * 10 + (*(*format)++ - '0');
    return n;
}

static void flags_of(struct spec *spec, const char **format) {
    for (;; ++*format)
        switch (**format) {
        case '-': spec->left = 1; break;
        case '+': spec->plus = 1; break;
        case ' ': spec->blank = 1; break;
        case '#': spec->sharp = 1; break;
        case '0': spec->zero = 1; break;
        case '\'': break; /* no thousands in the C locale */
        default: return;
        }
}

typedef struct { va_list list; } arguments;

static intmax_t signed_argument(arguments *args, int length) {
    switch (length) {
    case CHAR: return (signed char)va_arg(args->list, int);
    case SHORT: return (short)va_arg(args->list, int);
    case LONG: return va_arg(args->list, long);
    case LLONG: return va_arg(args->list, long long);
    case SIZE:
    case DIFF: return va_arg(args->list, ssize_t);
    case MAX: return va_arg(args->list, intmax_t);
    default: return va_arg(args->list, int);
    }
}

static uintmax_t unsigned_argument(arguments *args, int length) {
    switch (length) {
    case CHAR: return (unsigned char)va_arg(args->list, int);
    case SHORT: return (unsigned short)va_arg(args->list, int);
    case LONG: return va_arg(args->list, unsigned long);
    case LLONG: return va_arg(args->list, unsigned long long);
    case SIZE:
    case DIFF: return va_arg(args->list, size_t);
    case MAX: return va_arg(args->list, uintmax_t);
    default: return va_arg(args->list, unsigned);
    }
}

static void same_text(struct sink *, const struct spec *, const unit *);
static void other_text(struct sink *, const struct spec *, const void *);
static void character(struct sink *, const struct spec *, int c);

/* Text of the caller, as it is, in a field. */
static void text_field(struct sink *sink, const struct spec *spec, const unit *text, size_t n) {
    int fill = filling(spec, 0, n);
    if (!spec->left) pad(sink, ' ', fill);
    __vouch_copy_text(sink->to + sink->count, text, fitting(sink, n) * sizeof(unit));
    sink->count += n;
    if (spec->left) pad(sink, ' ', fill);
}

static size_t length_within(const struct spec *spec, const void *text, int size) {
    return __vouch_length(text, spec->precise ? (size_t)spec->precision : EVERYTHING, size);
}

static void real(struct sink *sink, const struct spec *spec, arguments *args, char c) {
    double number = spec->length == LDOUBLE ? (double)va_arg(args->list, long double) : va_arg(args->list, double);
    int precision = spec->precise ? spec->precision : 6;
    /* 309 digits before the point, 4933 of a long double, or infinity; a small number is short. */
    int whole = c == 'a' || c == 'A'                ? 40
                : c != 'f' && c != 'F'              ? 9
                : number < 1e9 && number > -1e9     ? 11
                : spec->length == LDOUBLE           ? 4940
                                                    : 310;
    if (precision > 1 << 14) __vouch_unsupported();
    something(sink, spec, 1, whole + 1 + precision);
}

static void store_count(const struct spec *spec, void *to, size_t count) {
    switch (spec->length) {
    case CHAR: *(signed char *)to = (signed char)count; break;
    case SHORT: *(short *)to = (short)count; break;
    case LONG: *(long *)to = (long)count; break;
    case LLONG: *(long long *)to = (long long)count; break;
    case INT: *(int *)to = (int)count; break;
    default: *(intmax_t *)to = (intmax_t)count;
    }
}

/* One conversion; `format` is after the %. */
static void convert(struct sink *sink, const char **format, arguments *args) {
    struct spec spec = {0};
    flags_of(&spec, format);
    if (**format == '*') {
        spec.width = va_arg(args->list, int);
        ++*format;
        if (spec.width < 0) spec.left = 1, spec.width = -spec.width;
    } else {
        spec.width = number_of(format);
    }
    if (**format == '.') {
        ++*format;
        spec.precise = 1;
        if (**format == '*') {
            spec.precision = va_arg(args->list, int);
            ++*format;
            if (spec.precision < 0) spec.precise = 0;
        } else {
            spec.precision = number_of(format);
        }
    }
    spec.length = length_of(format);
    char c = **format;
    if (c) ++*format;
    switch (c) {
    case 'd': case 'i': {
        intmax_t number = signed_argument(args, spec.length);
        integer(sink, &spec, number < 0 ? -(uintmax_t)number : (uintmax_t)number, number < 0, 'd');
        break;
    }
    case 'u': case 'x': case 'X': case 'o':
        integer(sink, &spec, unsigned_argument(args, spec.length), 0, c);
        break;
    case 'c': character(sink, &spec, va_arg(args->list, int)); break;
    case 's': {
        const void *text = va_arg(args->list, const void *);
        if ((spec.length == LONG) == (sizeof(unit) > 1)) same_text(sink, &spec, text);
        else other_text(sink, &spec, text);
        break;
    }
    case 'p':
        (void)va_arg(args->list, void *);
        something(sink, &spec, 1, 18);
        break;
    case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
        real(sink, &spec, args, c);
        break;
    case 'n': store_count(&spec, va_arg(args->list, void *), sink->count); break;
    case '%': put(sink, '%'); break;
    case 'm': something(sink, &spec, 1, 127); break;
    default: __vouch_unsupported();
    }
}

/* All of a format that the engine knows. The result is the terminated text in memory; the length is in `sink`. */
static void formatted(struct sink *sink, const char *f, va_list ap) {
    arguments args;
    va_copy(args.list, ap);
    while (*f) {
        if (*f == '%') {
            f++;
            convert(sink, &f, &args);
        } else {
            put(sink, *f++);
        }
    }
    va_end(args.list);
    if (sink->to) sink->to[sink->count < sink->room ? sink->count : sink->room] = 0;
}

#endif
