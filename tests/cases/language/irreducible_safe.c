// The loop is entered in the middle or at its head.
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
    assert(b == 4 && (a == 4 || a == 3));
    return 0;
}
