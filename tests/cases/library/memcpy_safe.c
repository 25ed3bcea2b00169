#include <assert.h>
#include <string.h>
unsigned nondet_uint(void);

int main(void)
{
    unsigned a[4] = {1, 2, 3, nondet_uint()}, b[4];
    memcpy(b, a, sizeof a);
    assert(b[3] == a[3] && memcmp(a, b, sizeof a) == 0);
    return 0;
}
