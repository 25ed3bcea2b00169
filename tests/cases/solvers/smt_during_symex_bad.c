// options: --smt-during-symex
#include <assert.h>
unsigned nondet_uint(void);

int main(void)
{
    unsigned n = nondet_uint(), i = 0;
    if (n > 3u) {
        return 0;
    }
    while (i * i < n * n) {
        i++;
    }
    assert(i != 3u); // expect: assertion unsafe
    return 0;
}
