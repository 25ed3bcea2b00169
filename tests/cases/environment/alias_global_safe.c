static int divisor = 5;

int share(unsigned char *target)
{
    divisor = 5;
    *target = 0;
    return 100 / divisor;
}
