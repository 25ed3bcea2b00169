#include <stdio.h>
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    printf("%d\n", x);
    return 10 / x; // expect: division-by-zero unsafe
}
