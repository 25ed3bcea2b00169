// A function that ends without its return, and a caller that uses what it did not get.
static int level(int mode)
{
    if (mode == 1)
        return 10;
} // expect: uninitialised unsafe

int twice(int mode)
{
    return level(mode) & 7;
}
