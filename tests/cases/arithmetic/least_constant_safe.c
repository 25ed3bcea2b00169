#include <limits.h>

int by_constant(int x)
{
    return x == INT_MIN ? 0 : x / -1;
}

int promoted(short x)
{
    return x / -1;
}

int of_constant(int y)
{
    return y == 0 || y == -1 ? 0 : INT_MIN / y;
}

int not_the_least(int y)
{
    return y == 0 ? 0 : (INT_MIN + 1) / y;
}

long long of_a_wider_type(int y)
{
    return y == 0 ? 0 : (long long)INT_MIN / y;
}
