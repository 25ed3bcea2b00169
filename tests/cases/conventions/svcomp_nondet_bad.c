#include <assert.h>
extern _Bool __VERIFIER_nondet_bool(void);
extern long __VERIFIER_nondet_long(void);

int main(void)
{
    _Bool b = __VERIFIER_nondet_bool();
    long l = __VERIFIER_nondet_long();
    assert(!(b && l == 0x123456789A)); // expect: assertion unsafe
    return 0;
}
