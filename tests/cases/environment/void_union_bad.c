// What a pointer to void leads to may hold a union: a member that is written changes the others, also through
// pointers that lead there.
// options: --no-replay
// replay: no
#include <assert.h>

union number {
    int whole;
    float real;
};
struct reading {
    long at;
    union number value;
};
struct holder {
    struct reading *last;
};
int *place;

void as_fraction(void *given)
{
    *place = 2;
    ((struct holder *)given)->last->value.real = 2;
    assert(*place < 5); // expect: assertion unsafe|cond-unsafe
}

#ifdef EVIDENCE
int main(void)
{
    static struct reading one;
    static struct holder holder = {&one};
    place = &one.value.whole;
    as_fraction(&holder);
}
#endif
