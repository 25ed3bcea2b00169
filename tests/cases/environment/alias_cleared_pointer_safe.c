// What has no pointers in it leaves none behind when it is cleared.
#include <string.h>

struct point {
    int x, y;
};

struct link {
    int *place;
    struct point at;
};

void cleared(struct point *a, struct link *b)
{
    memset(a, 0, sizeof *a);
    *b->place = 1;
}
