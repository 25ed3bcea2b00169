#include <stdlib.h>

size_t nondet_size(void);

int main(void)
{
    size_t count = nondet_size();
    if (count < 4)
        return 0;
    int *p = calloc(count, sizeof *p);
    p[3] = 7; // expect: pointer unsafe
    return 0;
}
