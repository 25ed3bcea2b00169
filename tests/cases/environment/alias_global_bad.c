// A pointer from outside may point to a global.
static int divisor = 5;

int *place(void)
{
    return &divisor;
}

int share(int *target)
{
    divisor = 5;
    *target = 0;
    return 100 / divisor; // expect: division-by-zero unsafe
}
