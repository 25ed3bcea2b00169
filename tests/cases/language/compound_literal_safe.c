#include <assert.h>
struct point {
    int x, y;
};

static int norm(const struct point *p)
{
    return p->x * p->x + p->y * p->y;
}

int main(void)
{
    assert(norm(&(struct point){3, 4}) == 25);
    int *a = (int[]){1, 2, 3};
    return a[2];
}
