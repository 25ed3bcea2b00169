// The table that *pp leads to may begin one element before q: then a[1] is what was stored there.
int f(int ***pp, int **q, int i)
{
    q[0] = 0;
    int **a = *pp;
    if (a == q || i < 0) {
        return 0;
    }
    int *p = a[i];
    return *p; // expect: pointer unsafe
}
