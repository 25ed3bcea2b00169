// What could not be allocated is not lost.
// options: --checks all --malloc-may-fail
#include <stdlib.h>

struct pair {
    void *low, *high;
};

static void release(struct pair p)
{
    if (p.low == p.high)
        return;
    free(p.low);
    free(p.high);
}

int main(void)
{
    struct pair p;
    p.low = malloc(16);
    p.high = malloc(24);
    release(p);
    return 0;
}
