// A pointer may lead into the middle of a struct.
#include <assert.h>

struct pair {
    int first;
    int second;
};

void both(struct pair *a, int *b)
{
    a->second = 1;
    *b = 2;
    assert(a->second == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
int main(void)
{
    struct pair object;
    both(&object, &object.second);
}
#endif
