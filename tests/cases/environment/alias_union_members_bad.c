// What is written to one member of a union changes the others, whoever leads there.
#include <assert.h>

union word {
    int number;
    float fraction;
    struct {
        short low, high;
    } halves;
};

struct tagged {
    int tag;
    union word word;
};

union slot {
    long number;
    int *place;
};

void fraction_changes_number(union word *a, int *b)
{
    *b = 1;
    a->fraction = 2;
    assert(*b == 1); // expect: assertion unsafe
}

void number_changes_fraction(union word *a, int *b)
{
    a->fraction = 1;
    *b = 2;
    assert(a->fraction == 1); // expect: assertion unsafe
}

void half_changes_number(struct tagged *a, int *b)
{
    *b = 1;
    a->word.halves.low = 2;
    assert(*b == 1); // expect: assertion unsafe
}

void number_changes_pointer(union slot *a, int **b, int *place)
{
    *b = place;
    a->number = 2;
    assert(*b == place); // expect: assertion unsafe
}

#ifdef EVIDENCE
int main(void)
{
    union word object;
    fraction_changes_number(&object, &object.number);
}
#endif
