// Code outside follows pointers in what it is given, though the program has never looked at them.
#include <assert.h>

union number {
    int whole;
    float real;
};
struct point {
    int x;
};
struct bytes {
    int count;
    unsigned char *data;
};
struct list {
    struct list *next;
    struct point *held;
};
struct holder {
    int *const place;
};

void take_bytes(struct bytes *given);
void take_list(struct list *given);
void take_const(const struct list *given);
void take_holder(struct holder *given);
struct list *give(void);
void anything(void);

int through_bytes(struct bytes *a, union number *b)
{
    b->whole = 3;
    take_bytes(a);
    assert(b->whole == 3); // expect: assertion unsafe
    return 0;
}

int through_list(struct list *a, struct point *b)
{
    b->x = 3;
    take_list(a);
    return 1 / b->x; // expect: division-by-zero unsafe
}

int through_const(struct list *a, struct point *b)
{
    b->x = 3;
    take_const(a);
    return 1 / b->x; // expect: division-by-zero unsafe
}

int through_constant_pointer(struct holder *a, int *b)
{
    *b = 3;
    take_holder(a);
    return 1 / *b; // expect: division-by-zero unsafe
}

int through_result(struct point *b)
{
    struct list *a = give();
    b->x = 3;
    anything();
    return a ? 1 / b->x : 0; // expect: division-by-zero unsafe
}

int through_own_variable(struct point *b)
{
    struct list own = {0};
    take_list(&own);
    b->x = 3;
    take_list(&own);
    return 1 / b->x; // expect: division-by-zero unsafe
}

#ifdef EVIDENCE
static struct point target;
static struct list last = {0, &target};
void take_bytes(struct bytes *given) { (void)given; }
void take_list(struct list *given)
{
    if (given->held)
        given->held->x = 0;
    given->held = &target;
}
void take_const(const struct list *given) { given->held->x = 0; }
void take_holder(struct holder *given) { *given->place = 0; }
struct list *give(void) { return &last; }
void anything(void) { last.held->x = 0; }
int main(void)
{
    return through_result(&target);
}
#endif
