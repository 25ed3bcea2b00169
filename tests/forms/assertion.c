#include <assert.h>
typedef _BitInt(17) s17;
struct bits { unsigned low : 3; };
int number_bad(int a, int b) { assert(a); return b; }
int number_safe(int a, int b) { assert(a | 1); return b; }
int compared_bad(int a, int b) { assert(a < 5); return b; }
int compared_safe(int a, int b) { assert((a & 3) < 5); return b; }
int fraction_bad(int a, int b) { assert(a * 0.5); return b; }
int fraction_safe(int a, int b) { assert(100.0); return b; }
int small_fraction_bad(int a, int b) { assert((float)a); return b; }
int small_fraction_safe(int a, int b) { assert((float)(a & 1) + 1.0f); return b; }
int long_fraction_bad(int a, int b) { assert((long double)a); return b; }
int long_fraction_safe(int a, int b) { assert(2.5L); return b; }
int pointer_bad(int a, int b) { int *p = a ? &b : 0; assert(p); return b; }
int pointer_safe(int a, int b) { int *p = &b; assert(p); return b; }
int long_bad(int a, int b) { assert((long long)a << 4); return b; }
int long_safe(int a, int b) { assert((long long)a * a + 1); return b; }
int huge_bad(int a, int b) { assert((__int128)a); return b; }
int huge_safe(int a, int b) { assert((__int128)(a & 3) + 1); return b; }
int odd_bad(int a, int b) { s17 x = (s17)(a & 7); assert(x); return b; }
int odd_safe(int a, int b) { s17 x = (s17)(a & 7 | 1); assert(x); return b; }
int truth_bad(int a, int b) { _Bool x = a; assert(x); return b; }
int truth_safe(int a, int b) { _Bool x = a | 1; assert(x); return b; }
int field_bad(int a, int b) { struct bits s; s.low = a & 7; assert(s.low); return b; }
int field_safe(int a, int b) { struct bits s; s.low = a & 3 | 4; assert(s.low); return b; }
int atomic_bad(int a, int b) { _Atomic int x = a; assert(x); return b; }
int atomic_safe(int a, int b) { int x = a & 3; assert(__atomic_add_fetch(&x, 1, 0)); return b; }
int both_bad(int a, int b) { assert(a && b); return b; }
int both_safe(int a, int b) { assert((a | 1) && (b | 1)); return b; }
int never_bad(int a, int b) { if (a == 0) assert(0); return b; }
int never_safe(int a, int b) { if ((a | 1) == 0) assert(0); return b; }
int trap_bad(int a, int b) { if (a == 0) __builtin_trap(); return b; }
int trap_safe(int a, int b) { if ((a | 1) == 0) __builtin_trap(); return b; }
#ifdef NATIVE
FORM(number, 0, 0)
FORM(compared, 7, 0)
FORM(fraction, 0, 0)
FORM(small_fraction, 0, 0)
FORM(long_fraction, 0, 0)
FORM(pointer, 0, 0)
FORM(long, 0, 0)
FORM(huge, 0, 0)
FORM(odd, 0, 0)
FORM(truth, 0, 0)
FORM(field, 0, 0)
FORM(atomic, 0, 0)
FORM(both, 0, 0)
FORM(never, 0, 0)
FORM(trap, 0, 0)
#endif
