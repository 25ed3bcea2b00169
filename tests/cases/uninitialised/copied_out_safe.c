struct pair {
    int a, b;
};

static void set(struct pair *p)
{
    struct pair half;
    half.a = 1;
    *p = half;
}

int get(struct pair *p)
{
    int b = p->b;
    set(p);
    return p->a == b;
}
