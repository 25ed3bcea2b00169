// A pointer from outside may lead to a variable of the program, where that is large enough for what is done with it.
#include <stdlib.h>
#include <string.h>

int flag, table[16];

static int compare(const void *a, const void *b) { return *(const int *)a < *(const int *)b; }

int sorted(int *p)
{
    qsort(p, 5, sizeof *p, compare);
    return p[0];
}

void twice(int *p)
{
    long first = (long)p + 4, second = (long)p + 8;
    *(int *)first = 5;
    *(int *)second = 3;
}
