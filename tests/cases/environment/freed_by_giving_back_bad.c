// Code outside may give back what it was handed, to a function of the library that frees it.
#include <stdlib.h>
void keep(int *p);
void ext(void);

void release(int *p)
{
    free(p);
}

int use(void)
{
    int *p = malloc(sizeof *p);
    *p = 3;
    keep(p);
    ext();
    return *p; // expect: pointer cond-unsafe
}
