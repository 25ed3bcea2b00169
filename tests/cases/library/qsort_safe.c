#include <assert.h>
#include <stdlib.h>
int nondet_int(void);

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    int v[3] = {nondet_int(), nondet_int(), nondet_int()};
    qsort(v, 3, sizeof v[0], ascending);
    assert(v[0] <= v[1] && v[1] <= v[2]);
    assert(bsearch(&v[1], v, 3, sizeof v[0], ascending) != NULL);
    return 0;
}
