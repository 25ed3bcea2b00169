static int a[3] = {1, 2, 3};
static int *p = &a[1];

int main(void)
{
    return p[2]; // expect: pointer unsafe
}
