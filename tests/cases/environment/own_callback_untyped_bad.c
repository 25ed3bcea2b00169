// Functions of the program behind pointers that do not say so.
#include <stdlib.h>

struct item {
    int number;
};

static void end(struct item *item)
{
    free(item);
}

static void *ending = (void *)end;

int close_item(struct item *item)
{
    ((void (*)(struct item *))ending)(item);
    return item->number; // expect: pointer unsafe
}

struct owner {
    void *ending;
};

void owner_start(struct owner *owner)
{
    owner->ending = (void *)end;
}

int owner_end(struct owner *owner, struct item *item)
{
    ((void (*)(struct item *))owner->ending)(item);
    return item->number; // expect: pointer unsafe
}
