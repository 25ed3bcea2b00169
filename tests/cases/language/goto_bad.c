// The error path jumps past the clean-up.
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
        goto out;
    }
    result = 0;
    opened = 0;
out:
    assert(opened == 0); // expect: assertion unsafe
    return result;
}
