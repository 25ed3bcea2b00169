// Only exit gets there: the return from main finds x as it should be.
#include <assert.h>
#include <stdlib.h>

static int x = 1;

static void last(void) { assert(x); } // expect: assertion unsafe

int main(int argc, char **argv)
{
    atexit(last);
    if (argc == 3) {
        x = 0;
        exit(0);
    }
    return 0;
}
