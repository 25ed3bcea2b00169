// A void pointer may lead to what a typed one leads to.
#include <assert.h>

void both(void *a, int *b)
{
    *b = 1;
    *(int *)a = 2;
    assert(*b == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
int main(void)
{
    int object;
    both(&object, &object);
}
#endif
