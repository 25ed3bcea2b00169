// What lies beside a union, and has another type, does not change with it.
#include <assert.h>

union word {
    int number;
    float fraction;
};

struct tagged {
    short tag;
    union word word;
};

void beside(struct tagged *a, union word *b)
{
    a->tag = 1;
    b->fraction = 2;
    assert(a->tag == 1);
}

void other_type(union word *a, short *b)
{
    *b = 1;
    a->fraction = 2;
    assert(*b == 1);
}
