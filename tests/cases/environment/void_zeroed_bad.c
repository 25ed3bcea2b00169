// What a pointer to void leads to may hold pointers: bytes of it that become zero leave null pointers behind, also in
// what lies in the same place.
#include <string.h>

struct node {
    int *value;
    int count;
};
extern struct node shared;

void by_memset(void *given)
{
    memset(given, 0, sizeof(struct node));
    *shared.value = 1; // expect: pointer unsafe
}

void by_assignment(void *given, struct node *node)
{
    *(struct node *)given = (struct node){0};
    *node->value = 1; // expect: pointer unsafe
}

void later(void *given, struct node **node)
{
    memset(given, 0, sizeof *node);
    (*node)->count = 1; // expect: pointer unsafe
}
