// Which members are set depends on the path, and on the function that is called.
struct pair {
    int a, b;
};

static struct pair first(int x)
{
    struct pair p;
    p.a = x;
    return p;
}

static struct pair second(int x)
{
    struct pair p;
    p.b = x;
    return p;
}

int choose(int which)
{
    struct pair (*make)(int) = which ? first : second;
    struct pair p = make(3);
    return which ? p.a : p.a; // expect: uninitialised unsafe
}
