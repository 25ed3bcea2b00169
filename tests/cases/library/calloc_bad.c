#include <stdlib.h>
unsigned nondet_uint(void);

int main(void)
{
    unsigned char *p = calloc(6, 2);
    if (p) {
        p[nondet_uint() % 13u] = 1; // expect: pointer unsafe
    }
    free(p);
    return 0;
}
