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
    assert(i >= 0 && i <= 5);
    return 0;
}
