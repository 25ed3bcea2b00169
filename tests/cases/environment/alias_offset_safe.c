#include <assert.h>

void both(int *a, int *b)
{
    a[1] = 1;
    b[0] = 1;
    assert(a[1] == 1);
}
