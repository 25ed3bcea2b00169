// One loop gets a bound of its own.
// options: --strategy global --unwind 2 --unwind-loop main.loop.1=12
#include <assert.h>
unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint(), x = 0;
    for (unsigned i = 0; i < n; i++) {
        x += 3u;
    }
    assert(x != 33u); // expect: assertion unsafe
    return 0;
}
