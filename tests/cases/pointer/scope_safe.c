int main(void)
{
    int *p = 0;
    int sum = 0;
    {
        int inner = 5;
        p = &inner;
        sum = *p;
    }
    return sum;
}
