// The least number of its type, and minus one, written as constants.
#include <limits.h>

int by_constant(int x)
{
    return x / -1; // expect: signed-overflow unsafe
}

int rest_by_constant(int x)
{
    return x % -1; // expect: signed-overflow unsafe
}

int of_constant(int y)
{
    return y == 0 ? 0 : INT_MIN / y; // expect: signed-overflow unsafe
}

int rest_of_constant(void)
{
    int y = -1;
    return INT_MIN % y; // expect: signed-overflow unsafe
}

long long wide(long long y)
{
    return y == 0 ? 0 : LLONG_MIN / y; // expect: signed-overflow unsafe
}
