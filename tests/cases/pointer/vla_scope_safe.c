int within(int n)
{
    int sum = 0;
    if (n < 1 || n > 4) {
        return 0;
    }
    int outer[n];
    outer[0] = 1;
    for (int i = 1; i <= n; i++) {
        int a[i], *p = a;
        p[i - 1] = 2;
        sum += a[i - 1] + outer[0];
    }
    return sum;
}
