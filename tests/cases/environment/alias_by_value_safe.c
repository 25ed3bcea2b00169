// Of a struct in a register only those members change that are written.
#include <assert.h>

struct reading {
    int number;
    float value;
};

static float value_of(struct reading reading)
{
    return reading.value;
}

void passed(struct reading *a, int *b)
{
    a->value = 1;
    *b = 2;
    assert(value_of(*a) == 1);
}
