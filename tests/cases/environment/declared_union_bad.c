// A variable that another file defines may hold a union: what is written to one member changes the others, also
// through pointers that lead there.
#include <assert.h>

union number {
    int whole;
    short half[2];
    float real;
};
struct reading {
    union number value;
    int count;
};
extern struct reading last;

void half_of_it(int *p)
{
    *p = 5;
    last.value.half[1] = 1;
    assert(*p == 5); // expect: assertion unsafe
}

void as_fraction(int *p)
{
    *p = 5;
    last.value.real = 1.0f;
    assert(*p == 5); // expect: assertion unsafe
}

int from_elsewhere(short *p)
{
    last.value.whole = 5;
    *p = 0;
    return 1 / last.value.whole; // expect: division-by-zero unsafe
}

#ifdef EVIDENCE
struct reading last;
int main(void)
{
    half_of_it(&last.value.whole);
}
#endif
