#include <assert.h>
int nondet_int(void);

static int plus(int a, int b)
{
    return a + b;
}
static int minus(int a, int b)
{
    return a - b;
}

int main(void)
{
    int (*op)(int, int) = nondet_int() ? plus : minus;
    int r = op(5, 3);
    assert(r == 8); // expect: assertion unsafe
    return 0;
}
