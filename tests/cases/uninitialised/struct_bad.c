// Copying is fine, reading the member that was never set is not.
struct pair {
    int a, b;
};

int main(void)
{
    struct pair p;
    p.a = 1;
    struct pair q = p;
    return q.a ? q.b : 0; // expect: uninitialised unsafe
}
