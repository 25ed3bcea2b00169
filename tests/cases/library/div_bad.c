// div divides: by zero, or the least number by -1.
#include <stdlib.h>

int parts(int whole, int count)
{
    return div(whole, count).quot; // expect: division-by-zero unsafe; signed-overflow unsafe
}

long long remainder_of(long long whole, long long count)
{
    if (count == 0)
        return 0;
    return lldiv(whole, count).rem; // expect: signed-overflow unsafe
}
