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
    return half(1).a;
}
