// Nine does not fit three bits.
#include <assert.h>
struct status {
    unsigned ready : 1;
    unsigned mode : 3;
    int level : 5;
};
unsigned nondet_uint(void);

int main(void)
{
    struct status s = {0};
    unsigned n = nondet_uint() % 10u;
    s.mode = n; // expect: narrowing unsafe
    s.level = 3;
    assert(s.mode < 8 && s.level == 3);
    return 0;
}
