// The bound stands beside the loop.
// options: --strategy global --unwind 2
#include <assert.h>
unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint(), x = 0;
    for (unsigned i = 0; i < n; i++) { // vouch: unwind 12
        x += 3u;
    }
    assert(x != 33u); // expect: assertion unsafe
    return 0;
}
