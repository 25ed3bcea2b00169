// What other files pass behind the named arguments is not followed.
#include <stdarg.h>
int ratio(int count, ...) {
    va_list list;
    va_start(list, count);
    int divisor = va_arg(list, int);
    va_end(list);
    return 100 / divisor; // expect: division-by-zero unknown variable arguments; signed-overflow safe
}
