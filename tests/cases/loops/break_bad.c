#include <assert.h>
int nondet_int(void);

int main(void)
{
    int i;
    for (i = 0; i < 5; i++) {
        if (nondet_int() == 42) {
            break;
        }
    }
    assert(i < 5); // expect: assertion unsafe
    return 0;
}
