#include <stdlib.h>
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    return abs(x) > 5; // expect: signed-overflow unsafe
}
