// Bytes that become zero leave numbers behind where there are numbers, and pointers that are set after it.
#include <string.h>

struct node {
    int *value;
    int count;
};
static int own;
extern struct node shared;

void set_after(void *given)
{
    memset(given, 0, sizeof(struct node));
    shared.value = &own;
    *shared.value = 1;
}

void other_type(int *given, struct node *node)
{
    memset(given, 0, sizeof *given);
    *node->value = 1;
}
