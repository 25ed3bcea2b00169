// More iterations are possible than are looked at: the verdict says so.
// options: --strategy global --unwind 4
#include <assert.h>
unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint(), x = 0, step = nondet_uint();
    for (unsigned i = 0; i < n; i++) {
        x ^= step;
    }
    assert(x == 0u || x == step); // expect: assertion bound-safe
    return 0;
}
