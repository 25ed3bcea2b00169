// options: --target i386-linux-gnu
struct pair {
    int a, b;
};
struct name {
    char text[3];
};

static struct pair half(void)
{
    struct pair p;
    p.a = 1;
    return p;
}

static struct name initial(char c)
{
    struct name n;
    n.text[0] = c;
    return n;
}

static int sum(struct pair p, struct name n)
{
    return p.a + n.text[0];
}

int main(void)
{
    return sum(half(), initial('a'));
}
