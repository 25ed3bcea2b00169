// A divisor that is neither zero nor -1.
#include <stdlib.h>

int parts(int whole, int count)
{
    if (count <= 0)
        return 0;
    return div(whole, count).quot;
}

long last(void)
{
    return ldiv(17, 5).rem;
}
