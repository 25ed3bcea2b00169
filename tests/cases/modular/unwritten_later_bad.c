// What a pointer in memory leads to may be unwritten, also where the function stored an address before it looks.
static int own;

static int inner(int **a, int **b)
{
    *a = &own;
    int *p = *b;
    return *p; // expect: uninitialised unsafe
}

int main(void)
{
    int u;
    int *q = &u;
    int *r;
    return inner(&r, &q);
}
