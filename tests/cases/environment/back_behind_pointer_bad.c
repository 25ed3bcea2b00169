// Code outside calls the library again, which writes by name what a pointer of its own leads to.
#include <assert.h>

void outside(void);

static long count;
static long *current = &count;

void reset(void)
{
    count = 1;
}

void step(void)
{
    *current = 3;
    outside();
    assert(*current == 3); // expect: assertion cond-unsafe
}
