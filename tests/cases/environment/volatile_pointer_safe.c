// What never was in a volatile pointer, and whose address nobody has, stays as it is.
#include <assert.h>

static int inside, calls;
static int level;
static int *volatile shared = &level;
static void count(void) { calls++; }

int main(void)
{
    int local = 1;
    inside = 1;
    *shared = 2;
    assert(inside == 1); // expect: assertion safe
    assert(local == 1); // expect: assertion safe
    assert(calls == 0); // expect: assertion safe
    count();
    assert(calls == 1); // expect: assertion safe
    return 0;
}
