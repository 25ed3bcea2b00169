// A compound literal ends with its block.
struct point {
    int x, y;
};

static const struct point *kept;

int choice(int far)
{
    const struct point *p = &(struct point){1, 2};
    if (far) {
        p = &(struct point){far, far};
    }
    return p->x; // expect: pointer unsafe
}

static void keep(const struct point *p)
{
    kept = p;
}

int later(int n)
{
    {
        keep(&(struct point){n, 0});
    }
    return kept->x; // expect: pointer unsafe
}
