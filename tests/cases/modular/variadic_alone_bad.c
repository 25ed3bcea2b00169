// What a caller within the program passes need be neither valid nor written.
#include <stdarg.h>
static unsigned fold(const char *format, ...)
{
    unsigned total = 0;
    va_list list;
    va_start(list, format);
    for (; *format; format++) {
        unsigned *place = va_arg(list, unsigned *);
        if (*format == 'p') {
            total += *place; // expect: uninitialised unsafe; pointer safe
        } else {
            total -= *place; // expect: pointer unsafe
        }
    }
    va_end(list);
    return total;
}

unsigned twice(unsigned a)
{
    unsigned unwritten;
    return fold("pp", &a, &unwritten);
}

unsigned nowhere(unsigned a)
{
    return fold("p-", &a, (unsigned *)0);
}
