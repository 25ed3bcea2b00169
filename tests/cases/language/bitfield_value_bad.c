#include <assert.h>
struct flags {
    unsigned low : 4;
    unsigned high : 12;
};
unsigned nondet_uint(void);

int main(void)
{
    struct flags f = {0, 0};
    f.high = nondet_uint() & 0xFFFu;
    f.low = 5;
    assert(f.high != 0xABC); // expect: assertion unsafe
    return 0;
}
