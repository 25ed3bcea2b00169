// The operation behind the table is one of the program's own, and looks at what it is given.



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
    (void)item;
}

static const struct operations heap = {end};

void owner_start(struct owner *owner)
{
    owner->operations = &heap;
}

int owner_end(struct owner *owner)
{
    owner->operations->end(owner->item);
    return owner->item->number;
}
