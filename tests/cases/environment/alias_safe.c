#include <assert.h>

void both(int *a, int *b)
{
    *a = 1;
    *b = 1;
    assert(*a == 1);
}
