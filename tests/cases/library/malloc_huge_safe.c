#include <assert.h>
#include <stdlib.h>

int main(void)
{
    volatile int any = -4;
    int n = any;
    assert(malloc(-4) == NULL);
    char *p = malloc(n < 0 ? n : -1);
    assert(!p);
    return 0;
}
