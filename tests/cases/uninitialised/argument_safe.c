static int twice(int x)
{
    return 2 * x;
}

int main(void)
{
    int x;
    x = 4;
    return twice(x);
}
