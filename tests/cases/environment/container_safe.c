#include <stddef.h>

struct link {
    struct link *next;
};

struct item {
    int count;
    struct link link;
    int scale;
};

int total(struct link *l)
{
    struct item *item = (struct item *)((char *)l - offsetof(struct item, link));
    return item->scale > 0 ? item->count / item->scale : 0;
}

int previous(const int *p)
{
    return p[-1] ? 100 / p[-1] : 0;
}
