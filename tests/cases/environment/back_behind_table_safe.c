// A constant table leads to variables that nobody writes meanwhile.
#include <assert.h>

void outside(void);

static long first, second;
static long *const counts[2] = {&first, &second};

void reset(void)
{
    first = 1;
}

void step(unsigned i)
{
    *counts[i & 1] = 3;
    assert(*counts[i & 1] == 3);
}
