int main(void)
{
    int *a = (int[]){1, 2, 3};
    return a[3]; // expect: pointer unsafe
}
