// All the types that the functions come in.
#include <assert.h>
extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern long __VERIFIER_nondet_long(void);
extern float __VERIFIER_nondet_float(void);

int main(void)
{
    _Bool b = __VERIFIER_nondet_bool();
    assert(b == 0 || b == 1);
    assert(__VERIFIER_nondet_uchar() <= 255);
    assert(__VERIFIER_nondet_short() >= -32768);
    assert(__VERIFIER_nondet_ushort() <= 65535);
    long l = __VERIFIER_nondet_long();
    float f = __VERIFIER_nondet_float();
    return l == 3 && f == 1.0f;
}
