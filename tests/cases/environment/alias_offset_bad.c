// The second pointer may be the first plus one.
#include <assert.h>

void both(int *a, int *b)
{
    a[1] = 1;
    b[0] = 2;
    assert(a[1] == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
int main(void)
{
    int object[2];
    both(object, object + 1);
}
#endif
