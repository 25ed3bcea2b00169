// A static table of functions is not called from outside.
static int half(int x)
{
    return x / 2;
}
static int third(int x)
{
    return x / 3;
}
static int (*const table[2])(int) = {half, third};

int apply(unsigned which, int x)
{
    return table[which % 2u](x);
}
