#include <assert.h>
int nondet_int(void);

int main(void)
{
    int opened = 0, result = -1;
    if (nondet_int()) {
        goto out;
    }
    opened = 1;
    if (nondet_int()) {
        goto close;
    }
    result = 0;
close:
    opened = 0;
out:
    assert(opened == 0);
    return result;
}
