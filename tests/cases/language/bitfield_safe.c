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
    unsigned n = nondet_uint();
    s.mode = n & 7u;
    s.level = -16;
    s.ready = 1;
    assert(s.mode == (n & 7u) && s.level == -16 && s.ready == 1);
    return 0;
}
