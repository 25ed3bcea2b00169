#include <stdint.h>
int nondet_int(void);

static int twice(int8_t x)
{
    return 2 * x;
}

int main(void)
{
    int x = nondet_int();
    return x >= -128 && x < 128 ? twice(x) : 0;
}
