// What a volatile pointer holds may be what was stored there: objects, heap blocks and functions of the program.
#include <assert.h>
#include <stdlib.h>

static int level, calls;
static int *volatile shared = &level;
static int *volatile block;
static void count(void) { calls++; }
static void reset(void) { assert(level == 0); } // expect: assertion unsafe
static void (*volatile hook)(void) = reset;

int main(void)
{
    int local = 1;
    int *volatile own = &local;
    void (*volatile last)(void) = count;
    int *heap = malloc(sizeof *heap);
    if (heap == NULL) {
        return 1;
    }
    level = 1;
    *shared = 2;
    assert(level == 1); // expect: assertion unsafe
    *own = 2;
    assert(local == 1); // expect: assertion unsafe
    *heap = 1;
    block = heap;
    *block = 2;
    assert(*heap == 1); // expect: assertion unsafe
    last();
    assert(calls == 0); // expect: assertion unsafe
    hook();
    free(heap);
    return 0;
}
