#include <assert.h>
#include <string.h>
unsigned nondet_uint(void);

int main(void)
{
    int a[5];
    memset(a, 0xFF, sizeof a);
    assert(a[nondet_uint() % 5u] == -1);
    return 0;
}
