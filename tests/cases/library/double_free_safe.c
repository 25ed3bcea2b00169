#include <stdlib.h>
int nondet_int(void);

int main(void)
{
    char *p = malloc(4);
    if (nondet_int()) {
        free(p);
        p = 0;
    }
    free(p);
    return 0;
}
