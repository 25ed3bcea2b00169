// Argument lists of the native run do not tell what was written.
#include <stdarg.h>

struct pair {
    int a, b;
};

static int last(int count, ...)
{
    va_list list;
    va_start(list, count);
    struct pair p = va_arg(list, struct pair);
    va_end(list);
    return p.a > 1 ? p.a : p.b; // expect: uninitialised unknown a variable argument
}

int main(void)
{
    struct pair p;
    p.a = 1;
    return last(1, p);
}
