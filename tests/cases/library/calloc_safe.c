#include <assert.h>
#include <stdlib.h>
unsigned nondet_uint(void);

int main(void)
{
    unsigned char *p = calloc(6, 2);
    if (p) {
        assert(p[nondet_uint() % 12u] == 0);
    }
    free(p);
    return 0;
}
