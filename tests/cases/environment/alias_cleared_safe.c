// Bytes that are set through a pointer to a struct are those of its members: none of another type.
#include <assert.h>
#include <string.h>

struct point {
    int x, y;
};

struct reading {
    int number;
    float value;
};

void cleared(struct point *a, struct reading *b)
{
    b->value = 1;
    memset(a, 0, sizeof *a);
    assert(b->value == 1);
}
