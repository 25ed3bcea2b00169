struct pair {
    int a, b;
};

int main(void)
{
    struct pair p;
    p.a = 1;
    p.b = 2;
    struct pair q = p;
    return q.a + q.b;
}
