// Memory that is set or copied as bytes may hold several members of what another pointer leads to.
#include <assert.h>
#include <string.h>

struct point {
    int x, y;
};

void cleared(struct point *a, int *b)
{
    *b = 1;
    memset(a, 0, sizeof *a);
    assert(*b == 1); // expect: assertion unsafe
}

void set(void *a, int *b)
{
    *b = 1;
    memset(a, 7, 8);
    assert(*b == 1); // expect: assertion unsafe
}

void copied(void *a, int *b, const void *from)
{
    *b = 1;
    memcpy(a, from, 8);
    assert(*b == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
int main(void)
{
    struct point object;
    cleared(&object, &object.y);
}
#endif
