#include <stdarg.h>
int ratio(int count, ...) {
    va_list list;
    va_start(list, count);
    int divisor = va_arg(list, int);
    va_end(list);
    return divisor > 0 ? 100 / divisor : count / 3;
}
