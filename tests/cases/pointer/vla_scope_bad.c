// An array of variable length ends with its block.
int after(int n)
{
    int *p;
    if (n < 1 || n > 4) {
        return 0;
    }
    {
        int a[n];
        a[0] = 1;
        p = a;
    }
    return *p; // expect: pointer unsafe
}
