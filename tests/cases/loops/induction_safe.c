// An unbounded loop, proved by induction.
// options: --strategy k-induction
#include <assert.h>
int nondet_int(void);

int main(void)
{
    unsigned x = 0;
    while (nondet_int()) {
        x = (x + 2u) & 0xFFu;
        assert((x & 1u) == 0u);
    }
    return 0;
}
