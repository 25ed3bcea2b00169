// A weak definition has no more freedom than its type leaves it.
#include <assert.h>

__attribute__((weak)) int limit(const int *least)
{
    return *least;
}

void kept(void)
{
    int least = 3;
    (void)limit(&least);
    assert(least == 3);
}
