// The program's own variables have the size they have, also where a pointer from outside may be taken instead.
#include <stdlib.h>
#include <string.h>

int flag, table[4];

static int compare(const void *a, const void *b) { return a < b; }

int sorted(int *p, int own)
{
    int *chosen = own ? table : p;
    qsort(chosen, 5, sizeof *p, compare); // expect: pointer unsafe
    return p[0];
}

void moved(int *p, int own)
{
    long first = (long)(own ? &flag : p) + 4;
    *(int *)first = 5; // expect: pointer unsafe
}

int aliased(int *p)
{
    if (flag == 0)
        return 0;
    *p = 0;
    return 10 / flag; // expect: division-by-zero unsafe
}
