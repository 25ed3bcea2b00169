#include <assert.h>

int global[4];

// Places of a promised length may still be one and the same.
// vouch: requires a[4] && b[4]
void both(int *a, int *b)
{
    a[0] = 1;
    b[0] = 2;
    assert(a[0] == 1); // expect: assertion cond-unsafe
}

// vouch: requires b[4]
void variable(int *b)
{
    global[0] = 1;
    b[0] = 2;
    assert(global[0] == 1); // expect: assertion cond-unsafe
}
