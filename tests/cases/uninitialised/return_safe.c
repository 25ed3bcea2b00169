// What was set is read, what was not set is only copied; so is the padding behind `tag`.
struct pair {
    int a, b;
};
struct item {
    char tag;
    int count;
};

static struct pair half(void)
{
    struct pair p;
    p.a = 1;
    return p;
}

static struct item whole(void)
{
    struct item i;
    i.tag = 'x';
    i.count = 2;
    return i;
}

int main(void)
{
    struct pair p = half(), q = p;
    struct item i = whole(), j;
    j = i;
    q.b = 3;
    return p.a + q.a + q.b + j.tag + j.count;
}
