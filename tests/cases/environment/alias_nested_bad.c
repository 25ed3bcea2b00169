// A struct may be a member of the other.
#include <assert.h>

struct inner {
    int number;
};

struct outer {
    long before;
    struct inner in;
};

void both(struct outer *a, struct inner *b)
{
    a->in.number = 1;
    b->number = 2;
    assert(a->in.number == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
int main(void)
{
    struct outer object;
    both(&object, &object.in);
}
#endif
