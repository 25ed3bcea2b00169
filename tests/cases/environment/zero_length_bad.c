// A global without elements leads nowhere; it must not make everything true.
#include <assert.h>

int table[0];

void use(int *p, int x)
{
    (void)table;
    *p = x;
    assert(*p == 1); // expect: assertion unsafe
}
