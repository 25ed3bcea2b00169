#include <assert.h>
#include <stdarg.h>
int nondet_int(void);

static int sum(int count, ...)
{
    va_list list;
    int total = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++) {
        total += va_arg(list, int) & 0xFF;
    }
    va_end(list);
    return total;
}

int main(void)
{
    assert(sum(2, nondet_int(), 20) != 33); // expect: assertion unsafe
    return 0;
}
