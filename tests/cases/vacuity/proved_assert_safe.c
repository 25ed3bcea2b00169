// Proved assertions are reached; only the one behind contradicting tests is not.
#include <assert.h>
int nondet_int(void);

int main(void)
{
    int x = nondet_int(), y = nondet_int();
    if (x > 5 && x < 100 && y == x * x) {
        assert(y > 25);
    }
    return 0;
}
