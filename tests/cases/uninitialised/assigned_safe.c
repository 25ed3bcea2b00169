struct pair {
    int a, b;
};

int main(void)
{
    struct pair p = {1, 2}, q;
    q.a = 3;
    p = q;
    p.b = 4;
    return p.a + p.b;
}
