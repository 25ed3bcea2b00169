// A pointer outlives the block of the variable it points to.
int main(void)
{
    int *p = 0;
    {
        int inner = 5;
        p = &inner;
    }
    return *p; // expect: pointer unsafe
}
