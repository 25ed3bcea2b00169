// The missing break adds two more.
#include <assert.h>
int nondet_int(void);

int main(void)
{
    int x = nondet_int(), r = 0;
    switch (x) {
    case 1:
        r = 1;
        /* fall through */
    case 2:
        r += 2;
        break;
    default:
        r = 4;
        break;
    }
    assert(x != 1 || r == 1); // expect: assertion unsafe
    return 0;
}
