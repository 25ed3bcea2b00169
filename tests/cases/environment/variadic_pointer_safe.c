// Pointers among the variable arguments of an entry point are as valid as its other arguments.
#include <stdarg.h>
int sum(int count, ...)
{
    unsigned total = 0;
    va_list list;
    va_start(list, count);
    unsigned *first = va_arg(list, unsigned *);
    total += *first;
    *first = 7;
    unsigned *second = va_arg(list, unsigned *);
    total += *second;
    va_end(list);
    return total != 0;
}
