// What code outside is given does not lead there: through a pointer to const nothing is written, to other types
// nothing leads, nor does a call that is given nothing.
#include <assert.h>

struct point {
    int x;
};
struct other {
    double y;
};
struct reader {
    const struct point *held;
};
struct apart {
    struct other *held;
    double *values;
    void (*call)(struct point *);
};

void take_reader(struct reader *given);
void take_apart(struct apart *given);
void anything(void);

int through_const(struct reader *a, struct point *b)
{
    b->x = 3;
    take_reader(a);
    return 1 / b->x;
}

int through_other_types(struct apart *a, struct point *b)
{
    b->x = 3;
    take_apart(a);
    return 1 / b->x;
}

int nothing_given(struct point *b)
{
    b->x = 3;
    anything();
    return 1 / b->x;
}
