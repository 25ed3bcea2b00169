// A pointer to void that came first leads to no variable that is new, nor to one whose address stays inside.
#include <assert.h>

struct reading { int raw; };
static struct reading last;
static int inside;
void *to_struct = &last;

void by_struct(void)
{
    struct reading here = {1};
    assert(to_struct != (void *)&here); // expect: assertion safe
    assert(here.raw == 1); // expect: assertion safe
}
void handed(int *p)
{
    inside = 1;
    *p = 2;
    assert(inside == 1); // expect: assertion safe
}
