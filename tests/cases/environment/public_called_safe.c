// The same, but no other file can call it.
static int scale(int x)
{
    return 100 / x;
}

int twice(void)
{
    return scale(1) + scale(2);
}
