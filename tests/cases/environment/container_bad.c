// A pointer from outside may lead into the middle of an object: what lies before it is there as well.
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
    return item->count / item->scale; // expect: division-by-zero unsafe; signed-overflow unsafe
}

int previous(const int *p)
{
    return 100 / p[-1]; // expect: division-by-zero unsafe
}

#ifdef EVIDENCE
int main(void)
{
    struct item item = {.count = 1};
    return total(&item.link);
}
#endif
