// What goes wrong in a function that the library calls is charged to that function, not to the call of the library.
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    return ((const int *)a)[3] > *(const int *)b; // expect: pointer unsafe
}

int main(void)
{
    int v[3] = {3, 2, 1};
    qsort(v, 3, sizeof v[0], compare);
    return v[0];
}
