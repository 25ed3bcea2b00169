// Two pointers from outside may be equal, and need no more alignment than their type asks for.
#include <assert.h>

struct two {
    int a, b;
};

void compare(int *p, struct two *q)
{
    assert(p != &q->b); // expect: assertion unsafe
}

void aligned(int *p)
{
    assert(((unsigned long)p & 15) == 0); // expect: assertion unsafe
}

void aligned_bytes(const char *p)
{
    assert(((unsigned long)p & 1) == 0); // expect: assertion unsafe
}

#ifdef EVIDENCE
int main(void)
{
    struct two objects[4];
    compare(&objects[0].b, &objects[0]);
}
#endif
