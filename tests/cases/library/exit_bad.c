#include <stdlib.h>
int nondet_int(void);

static void need(int condition)
{
    if (!condition) {
        exit(1);
    }
}

int main(void)
{
    int d = nondet_int();
    need(d >= 0);
    return 10 / d; // expect: division-by-zero unsafe
}
