#include <assert.h>
int nondet_int(void);

static void choose(int **out, int *a, int *b)
{
    *out = nondet_int() ? a : b;
}

int main(void)
{
    int a = 1, b = 2, *p = 0;
    choose(&p, &a, &b);
    *p = 7;
    assert(a == 7 || b == 7);
    return 0;
}
