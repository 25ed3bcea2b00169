// Objects are aligned as their type asks, and different members of one lie apart.
#include <assert.h>

struct two {
    int a, b;
};

void compare(struct two *q)
{
    assert(&q->a != &q->b);
}

void aligned(int *p)
{
    assert(((unsigned long)p & 3) == 0);
}
