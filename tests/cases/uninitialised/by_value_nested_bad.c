// A struct of structs, taken apart and put together.
struct point {
    short x, y;
};
struct line {
    struct point from, to;
};

static struct line join(struct point a, struct point b)
{
    struct line l = {a, b};
    return l;
}

int main(void)
{
    struct point a, b;
    a.x = 1;
    b.y = 2;
    struct line l = join(a, b);
    struct point end = l.to;
    return l.from.x + end.y + end.x; // expect: uninitialised unsafe
}
