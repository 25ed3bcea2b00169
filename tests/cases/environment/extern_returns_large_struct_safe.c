// A struct that is returned in memory is a result: it is written in full, and its address stays unknown outside.
#include <stdlib.h>

struct large {
    int number;
    long more;
    short rest;
};

struct large object;
struct large *visible = &object;
struct large fetch(void);

long use(void)
{
    struct large *copy = malloc(sizeof(struct large));
    if (copy == NULL) {
        return 0;
    }
    *copy = *visible;
    struct large got = fetch();
    free(copy);
    return visible->more ^ got.more;
}
