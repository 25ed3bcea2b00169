// What the library holds nowhere, it cannot free when it is called again.
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
    ext();
    int seen = *p;
    free(p);
    return seen;
}
