// An incomplete struct that is copied to where a pointer from outside leads.
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
    set(p);
    return p->b; // expect: uninitialised unsafe
}
