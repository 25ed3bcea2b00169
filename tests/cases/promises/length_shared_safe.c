#include <assert.h>

// vouch: requires a[4] && b[4]
void both(int *restrict a, int *restrict b)
{
    a[0] = 1;
    b[0] = 2;
    assert(a[0] == 1);
}
