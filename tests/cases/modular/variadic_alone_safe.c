// Looked at alone, a function with variable arguments keeps what does not hang on them; the rest its callers decide.
#include <stdarg.h>
static unsigned fold(const char *format, ...)
{
    unsigned total = 0;
    va_list list;
    va_start(list, format);
    for (; *format; format++) {
        unsigned weight = (unsigned char)*format % 7u + 1u;
        if (*format == 'p') {
            unsigned *place = va_arg(list, unsigned *);
            total += *place;
        }
        total = total / weight;
    }
    va_end(list);
    return total;
}

unsigned twice(unsigned a, unsigned b)
{
    return fold("p-p", &a, &b);
}
