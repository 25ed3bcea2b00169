#include <assert.h>
#include <stdlib.h>

static int x;

static void first(void) { assert(x == 1); } // expect: assertion unsafe
static void second(void) { x++; }

int main(void)
{
    x = 1;
    atexit(first);
    atexit(second);
    return 0;
}
