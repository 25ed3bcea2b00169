// The address of a local outlives its function.
static int *address(int **out)
{
    int local = 3;
    *out = &local;
    return *out;
}

int main(void)
{
    int *p;
    address(&p);
    return *p; // expect: pointer unsafe
}
