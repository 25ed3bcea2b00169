#include <assert.h>
#include <limits.h>
#include <stdlib.h>
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    if (x != INT_MIN) {
        assert(abs(x) >= 0);
    }
    return 0;
}
