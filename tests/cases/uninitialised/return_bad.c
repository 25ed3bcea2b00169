// A struct in one register: returning it is fine, reading the member that was never set is not.
struct pair {
    int a, b;
};

static struct pair half(void)
{
    struct pair p;
    p.a = 1;
    return p;
}

int main(void)
{
    struct pair p = half();
    return p.a ? p.b : 0; // expect: uninitialised unsafe
}
