// A pointer may lead to a member of a union.
#include <assert.h>

union word {
    unsigned number;
    unsigned char bytes[4];
};

void both(union word *a, unsigned *b)
{
    a->bytes[0] = 1;
    *b = 0;
    assert(a->bytes[0] == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
int main(void)
{
    union word object;
    both(&object, &object.number);
}
#endif
