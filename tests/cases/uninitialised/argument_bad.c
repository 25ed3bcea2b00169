static int never(int x)
{
    return x == x;
}

int main(void)
{
    int x;
    return never(x); // expect: uninitialised unsafe
}
