// Passing is fine, reading in the callee is not.
struct pair {
    int a, b;
};

static int second(int which, struct pair p)
{
    return which ? p.b : p.a; // expect: uninitialised unsafe
}

int main(void)
{
    struct pair p;
    p.a = 1;
    return second(0, p) == second(p.a, p);
}
