// A complete struct is overwritten by an incomplete one.
struct pair {
    int a, b;
};

int main(void)
{
    struct pair p = {1, 2}, q;
    q.a = 3;
    p = q;
    return p.b; // expect: uninitialised unsafe
}
