// A member of a result that no variable holds.
struct pair {
    int a, b;
};

static struct pair half(int a)
{
    struct pair p;
    p.a = a;
    return p;
}

int main(void)
{
    return half(1).b; // expect: uninitialised unsafe
}
