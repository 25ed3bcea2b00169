#include <assert.h>
int nondet_int(void);

int main(void)
{
    int i = 0, a = 0, b = 0;
    if (nondet_int()) {
        goto middle;
    }
top:
    a++;
middle:
    b++;
    i++;
    if (i < 4) {
        goto top;
    }
    assert(a == b); // expect: assertion unsafe
    return 0;
}
