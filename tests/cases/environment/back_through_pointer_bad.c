// Code outside calls the library again, which writes through a pointer that never changes.
#include <assert.h>

void outside(void);

static long count;
static long *current = &count;

void reset(void)
{
    *current = 1;
}

void step(void)
{
    *current = 3;
    outside();
    assert(*current == 3); // expect: assertion cond-unsafe
}
