// options: --target aarch64-linux-gnu
// replay: no
#include <stdarg.h>

static int sum(int count, ...)
{
    va_list list;
    int total = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++) {
        total += va_arg(list, int);
    }
    va_end(list);
    return total;
}

int main(void)
{
    return 10 / sum(3, 1, 2, -3); // expect: division-by-zero unsafe
}
