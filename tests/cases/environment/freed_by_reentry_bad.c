// Code outside may call the library again, which frees what the caller still holds.
#include <stdlib.h>
void ext(void);
static int *held;

void drop(void)
{
    free(held);
    held = 0;
}

int use(void)
{
    int *p = malloc(sizeof *p);
    *p = 3;
    held = p;
    ext();
    return *p; // expect: pointer cond-unsafe
}
