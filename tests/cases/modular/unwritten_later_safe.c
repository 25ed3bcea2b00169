static int own;

static int inner(int **a, int **b)
{
    *a = &own;
    int *p = *b;
    return *p;
}

int main(void)
{
    int u = 1;
    int *q = &u;
    int *r;
    return inner(&r, &q);
}
