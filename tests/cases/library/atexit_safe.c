// C11 7.22.4.4: functions registered with atexit run when the program ends, the last one first.
#include <assert.h>
#include <stdlib.h>

static int x;

static void first(void) { assert(x == 2); }
static void second(void) { x++; }

int main(int argc, char **argv)
{
    x = 1;
    atexit(first);
    atexit(second);
    if (argc == 2)
        exit(1);
    return 0;
}
