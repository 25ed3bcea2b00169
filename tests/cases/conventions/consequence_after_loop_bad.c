// The second violation needs the first one, also where another bound was needed to find it.
#include <assert.h>
int nondet_int(void);

int main(void)
{
    int unset;
    int n = nondet_int();
    int sum = unset & 1;              // expect: uninitialised unsafe
    if (n < 0 || n > 20) {
        return 0;
    }
    for (int i = 0; i < n; i++) {
        sum += 2;
    }
    assert(sum < 8);                  // expect: assertion cond-unsafe only after
    return 0;
}
