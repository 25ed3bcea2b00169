// options: --sharing same-type
// The narrower assumption: memory is shared as whole objects of one type only.
#include <assert.h>

void both(void *a, int *b)
{
    *b = 1;
    *(int *)a = 2;
    assert(*b == 1);
}
