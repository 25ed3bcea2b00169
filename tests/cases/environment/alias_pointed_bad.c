// Pointers in memory may lead to the same object as arguments and globals do.
#include <assert.h>

struct node {
    int *value;
    struct node *next;
};

void chain(struct node *a, int *b)
{
    *a->next->value = 1;
    *b = 2;
    assert(*a->next->value == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
int main(void)
{
    int number;
    struct node object = {&number, &object};
    chain(&object, &number);
}
#endif
