// A struct that a function returns in one register is stored as one number, and is several members.
#include <assert.h>

struct point {
    int x, y;
};
struct reading {
    int number;
    float value;
};

struct point origin(void);

void stored(struct point *a, int *b)
{
    *b = 1;
    *a = origin();
    assert(*b == 1); // expect: assertion unsafe
}

void stored_anywhere(void *a, int *b)
{
    *b = 1;
    *(struct point *)a = origin();
    assert(*b == 1); // expect: assertion unsafe
}

static float value_of(struct reading reading)
{
    return reading.value;
}

void passed(struct reading *a, float *b)
{
    a->value = 1;
    *b = 2;
    assert(value_of(*a) == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
struct point origin(void)
{
    return (struct point){0, 0};
}
int main(void)
{
    struct point object;
    stored(&object, &object.y);
}
#endif
