// What no external function was given, none can return.
#include <assert.h>

void keep(int *pointer);
int *get(void);

void use(void)
{
    int local, given;
    keep(&given);
    int *other = get();
    local = 1;
    *other = 2;
    assert(local == 1);
}
