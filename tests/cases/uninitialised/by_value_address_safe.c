struct pair {
    int a, b;
};

static int first(const struct pair *p)
{
    return p->a;
}

static int pass(struct pair p)
{
    return first(&p);
}

int main(void)
{
    struct pair p;
    p.a = 1;
    return pass(p);
}
