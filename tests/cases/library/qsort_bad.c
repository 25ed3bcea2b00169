// The order is descending, not ascending.
#include <assert.h>
#include <stdlib.h>
int nondet_int(void);

static int descending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x < y) - (x > y);
}

int main(void)
{
    int v[3] = {nondet_int(), nondet_int(), nondet_int()};
    qsort(v, 3, sizeof v[0], descending);
    assert(v[0] <= v[2]); // expect: assertion unsafe
    return 0;
}
