// What code outside never saw it cannot give back.
#include <stdlib.h>
void keep(int *p);
void ext(void);

void release(int *p)
{
    free(p);
}

int use(void)
{
    int *p = malloc(sizeof *p), other = 0;
    *p = 3;
    keep(&other);
    ext();
    int seen = *p;
    free(p);
    return seen;
}
