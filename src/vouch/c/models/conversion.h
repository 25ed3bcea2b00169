/* Length modifiers of printf and scanf conversions. */
#ifndef CONVERSION_H
#define CONVERSION_H

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

#endif
