// options: --strategy incremental
#include <assert.h>
unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint() % 10u, x = 0;
    for (unsigned i = 0; i < n; i++) {
        x += i;
    }
    assert(x <= 36u);
    return 0;
}
