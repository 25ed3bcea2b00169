struct pair {
    int a, b;
};

static int second(int which, struct pair p)
{
    return which ? p.b : p.a;
}

int main(void)
{
    struct pair p;
    p.a = 1;
    int first = second(0, p);
    p.b = 2;
    return first == second(p.a, p);
}
