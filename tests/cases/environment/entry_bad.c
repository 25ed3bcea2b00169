// options: --entry second
int first(int x)
{
    return x + 1;
}

int second(int x)
{
    return 10 / x; // expect: division-by-zero unsafe
}

int main(void)
{
    return second(2);
}
