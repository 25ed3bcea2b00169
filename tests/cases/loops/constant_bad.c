// options: --unwind 2
#include <assert.h>

int main(void)
{
    int sum = 0;
    for (int i = 1; i < 100; i++) {
        sum += i;
    }
    assert(sum == 5050); // expect: assertion unsafe
    return 0;
}
