// __VERIFIER_nondet_memory fills what it is given, at every place, with anything.
#include <assert.h>
#include <stddef.h>

void __VERIFIER_nondet_memory(void *, size_t);

struct frame {
    unsigned char kind;
    int words[5];
};
static int level = 1;

void too_much(void);

int main(void)
{
    struct frame f = {1, {2, 3, 4, 5, 6}};
    __VERIFIER_nondet_memory(&f, sizeof f);
    __VERIFIER_nondet_memory(&level, sizeof level);
    assert(f.words[4] != 123456); // expect: assertion unsafe
    assert(level == 1);           // expect: assertion unsafe
    too_much();
    return 0;
}

void too_much(void)
{
    char few[3];
    __VERIFIER_nondet_memory(few, 4); // expect: pointer unsafe
}
