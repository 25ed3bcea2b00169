// The two pointers may be the same.
#include <assert.h>

void both(int *a, int *b)
{
    *a = 1;
    *b = 2;
    assert(*a == 1); // expect: assertion unsafe
}
