// They may lead to what other arguments lead to, and what lies there is anything: no native run can show it.
#include <stdarg.h>
int ratio(int *divisor, ...)
{
    va_list list;
    va_start(list, divisor);
    *divisor = 3;
    int *other = va_arg(list, int *);
    *other = 0;
    int read = *va_arg(list, int *);
    va_end(list);
    if (read > 0) {
        return 100 / *divisor; // expect: division-by-zero unknown variable arguments
    }
    return 100 / read; // expect: division-by-zero unknown variable arguments
}
