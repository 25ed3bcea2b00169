// A void pointer that is used as a pointer to short does not lead to an int (C11 6.5p7).
#include <assert.h>

void both(void *a, int *b)
{
    *b = 1;
    *(short *)a = 2;
    assert(*b == 1);
}
