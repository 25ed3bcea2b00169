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
    case 10 ... 20:
        r = 9;
        break;
    default:
        r = 4;
        break;
    }
    assert(r == 3 || r == 2 || r == 9 || r == 4);
    return 0;
}
