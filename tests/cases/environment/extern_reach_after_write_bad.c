// What lay there before a write elsewhere may have changed it is still reached.
#include <assert.h>

struct node {
    int *value;
    short rest;
    int number;
};

struct list {
    struct node *first;
    int count;
};

struct list visible;
void wait(void);

void use(void)
{
    int local[4];
    struct node *c = visible.first;
    *c->value = 0;
    c->value = local;
    wait();
    assert(c->value == local); // expect: assertion unsafe
}

#ifdef EVIDENCE
static int number;
void wait(void)
{
    visible.first->value = &number;
}
int main(void)
{
    struct node object = {&number, 0, 0};
    visible.first = &object;
    use();
}
#endif
