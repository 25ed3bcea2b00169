// The address of an argument that is not complete.
struct pair {
    int a, b;
};

static int second(const struct pair *p)
{
    return p->b; // expect: uninitialised unsafe
}

static int pass(struct pair p)
{
    return second(&p);
}

int main(void)
{
    struct pair p;
    p.a = 1;
    return pass(p);
}
