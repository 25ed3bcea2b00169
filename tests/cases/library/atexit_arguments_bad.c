// The witness is a command line that a run can make: six arguments, not as many as fit into memory.
#include <assert.h>
#include <stdlib.h>

static int x;

static void last(void) { assert(x != 2); } // expect: assertion unsafe

int main(int argc, char **argv)
{
    x = 1;
    atexit(last);
    if (argc > 5)
        x = 2;
    return 0;
}
