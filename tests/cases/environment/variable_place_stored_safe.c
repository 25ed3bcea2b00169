// What is stored there is valid, wherever the tables lie.
int f(int ***pp, int **q, int *r, int i)
{
    q[0] = r;
    int **a = *pp;
    if (a == q || i < 0) {
        return 0;
    }
    int *p = a[i];
    return *p;
}
