// options: --strategy k-induction
#include <assert.h>
int nondet_int(void);

int main(void)
{
    unsigned x = 0;
    while (nondet_int()) {
        x = (x + 2u) & 0xFFu;
        assert(x != 10u); // expect: assertion unsafe
    }
    return 0;
}
