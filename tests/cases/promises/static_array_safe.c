int third(const int a[static 3])
{
    return a[2];
}

static int second(const int a[static 2])
{
    return a[1];
}

int passes_two(void)
{
    int pair[2] = {3, 4};
    return second(pair);
}
