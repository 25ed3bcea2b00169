// What is written through a restrict pointer is accessed through it alone (C11 6.7.3.1p4).
#include <assert.h>

void both(int *restrict a, int *restrict b)
{
    *a = 1;
    *b = 2;
    assert(*a == 1);
}
