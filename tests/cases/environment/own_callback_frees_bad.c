// The operation behind the table is one of the program's own, which frees what it is given.
#include <stdlib.h>

struct item {
    int number;
};

struct operations {
    void (*end)(struct item *);
};

struct owner {
    const struct operations *operations;
    struct item *item;
};

static void end(struct item *item)
{
    free(item);
}

static const struct operations heap = {end};

void owner_start(struct owner *owner)
{
    owner->operations = &heap;
}

int owner_end(struct owner *owner)
{
    owner->operations->end(owner->item);
    return owner->item->number; // expect: pointer unsafe
}
