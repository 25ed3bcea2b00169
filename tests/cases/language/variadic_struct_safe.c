// Large structs among variable arguments.
#include <assert.h>
#include <stdarg.h>

struct small {
    int a, b;
};
struct large {
    int x[10];
};

static int last(int count, ...)
{
    va_list list;
    va_start(list, count);
    struct small s = va_arg(list, struct small);
    struct large l = va_arg(list, struct large);
    int n = va_arg(list, int);
    va_end(list);
    assert(s.b == 7);
    assert(l.x[3] == 5);
    return n;
}

int main(void)
{
    struct small s = {1, 7};
    struct large l = {{0}};
    l.x[3] = 5;
    assert(last(2, s, l, 9) == 9);
    return 0;
}
