#include <assert.h>
unsigned nondet_uint(void);

int main(void)
{
    unsigned count = 0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j <= i; j++) {
            count++;
        }
    }
    assert(count == 6u); // expect: assertion unsafe
    return 0;
}
