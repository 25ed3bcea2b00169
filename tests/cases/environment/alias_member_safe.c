#include <assert.h>

struct pair {
    int first;
    short second;
};

void both(struct pair *a, int *b)
{
    a->second = 1;
    *b = 2;
    assert(a->second == 1);
}
