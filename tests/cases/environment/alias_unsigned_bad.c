// A signed object may be accessed as unsigned (C11 6.5p7).
#include <assert.h>

void both(int *a, unsigned *b)
{
    *a = 1;
    *b = 2;
    assert(*a == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
int main(void)
{
    int object;
    both(&object, (unsigned *)&object);
}
#endif
