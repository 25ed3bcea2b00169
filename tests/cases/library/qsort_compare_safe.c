#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    return ((const int *)a)[0] > *(const int *)b;
}

int main(void)
{
    int v[3] = {3, 2, 1};
    qsort(v, 3, sizeof v[0], compare);
    return v[0];
}
