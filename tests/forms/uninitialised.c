// C17 6.3.2.1 and 6.7.9: the value of an automatic object that is not initialised is indeterminate.
#include <complex.h>
#include <stdlib.h>
#include <string.h>
typedef int v4 __attribute__((vector_size(16)));
typedef _BitInt(17) s17;
struct pair { int first, second; };
struct bits { unsigned low : 3, high : 5; };
union either { int number; float fraction; };
int scalar_bad(int a, int b) { int x; if (a) x = b; return x; }
int scalar_safe(int a, int b) { int x; if (a) x = b; else x = 3; return x; }
int result_bad(int a, int b) { int result; if (a) result = b; return result; }
int result_safe(int a, int b) { int result; if (a) result = b; else result = 3; return result; }
int tmp_bad(int a, int b) { int tmp; if (a) tmp = b; return tmp; }
int tmp_safe(int a, int b) { int tmp; if (a) tmp = b; else tmp = 3; return tmp; }
int retval_bad(int a, int b) { int retval; if (a) retval = b; return retval; }
int retval_safe(int a, int b) { int retval; if (a) retval = b; else retval = 3; return retval; }
int jumped_bad(int a, int b) { switch (a) { int result; case 1: return result; case 2: result = b; return result; } return 0; }
int jumped_safe(int a, int b) { switch (a) { int result; case 1: result = 1; return result; case 2: result = b; return result; } return 0; }
int jumped_only_bad(int a, int b) { switch (a) { int saved_stack; default: if (b) saved_stack = 1; return saved_stack; } }
int jumped_only_safe(int a, int b) { switch (a) { int saved_stack; default: saved_stack = 1; return saved_stack; } }
int coerce_bad(int a, int b) { goto over; int coerce; over: if (a) coerce = b; return coerce + 1 > 2; }
int coerce_safe(int a, int b) { goto over; int coerce; over: coerce = b & 7; return coerce + 1 > 2; }
int element_bad(int a, int b) { int x[4]; x[a & 3] = 1; return x[b & 3]; }
int element_safe(int a, int b) { int x[4] = {0}; x[a & 3] = 1; return x[b & 3]; }
int member_bad(int a, int b) { struct pair x; x.first = a; return x.second; }
int member_safe(int a, int b) { struct pair x; x.first = a; x.second = b; return x.second; }
int field_bad(int a, int b) { struct bits x; if (a) { x.low = 1; x.high = 2; } return x.high; }
int field_safe(int a, int b) { struct bits x; x.low = 1; x.high = 2; return x.high; }
int masked_bad(int a, int b) { int x; x = (x & ~7) | (a & 7); return x; }
int masked_safe(int a, int b) { int x = 0; x = (x & ~7) | (a & 7); return x; }
#define SET(x, v) ((x) = ((x) & ~7) | ((v) & 7))
int macro_bad(int a, int b) { int x; SET(x, a); return x; }
int macro_safe(int a, int b) { int x = 0; SET(x, a); return x; }
int heap_bad(int a, int b) { int *p = malloc(8); if (!p) return 0; p[0] = a; b = p[1]; free(p); return b; }
int heap_safe(int a, int b) { int *p = malloc(8); if (!p) return 0; p[1] = a; b = p[1]; free(p); return b; }
static void fill(int *p, int a) { if (a) *p = 1; }
int outgoing_bad(int a, int b) { int x; fill(&x, a); return x; }
int outgoing_safe(int a, int b) { int x; fill(&x, 1); return x; }
int vector_bad(int a, int b) { v4 x; if (a) x = (v4){1, 2, 3, 4}; return x[1]; }
int vector_safe(int a, int b) { v4 x = {0}; if (a) x = (v4){1, 2, 3, 4}; return x[1]; }
int fraction_bad(int a, int b) { double x; if (a) x = b; return x > 1; }
int fraction_safe(int a, int b) { double x = 1; if (a) x = b; return x > 1; }
int long_fraction_bad(int a, int b) { long double x; if (a) x = 1; return x > 1; }
int long_fraction_safe(int a, int b) { long double x = 1; if (a) x = 2; return x > 1; }
int odd_bad(int a, int b) { s17 x; if (a) x = 1; return x; }
int odd_safe(int a, int b) { s17 x = 1; if (a) x = 2; return x; }
int huge_bad(int a, int b) { __int128 x; if (a) x = 1; return x > 1; }
int huge_safe(int a, int b) { __int128 x = 1; if (a) x = 2; return x > 1; }
int truth_bad(int a, int b) { _Bool x; if (a) x = 1; return x; }
int truth_safe(int a, int b) { _Bool x = 0; if (a) x = 1; return x; }
int volatile_bad(int a, int b) { volatile int x; if (a) x = 1; return x; }
int volatile_safe(int a, int b) { volatile int x = 0; if (a) x = 1; return x; }
int atomic_bad(int a, int b) { _Atomic int x; if (a) x = 1; return x; }
int atomic_safe(int a, int b) { _Atomic int x = 0; if (a) x = 1; return x; }
int updated_bad(int a, int b) { int x; if (a) x = 1; return __atomic_fetch_add(&x, 1, 0); }
int updated_safe(int a, int b) { int x = 1; return __atomic_fetch_add(&x, 1, 0); }
int pointer_bad(int a, int b) { int *p; if (a) p = &b; return p == &b; }
int pointer_safe(int a, int b) { int *p = 0; if (a) p = &b; return p == &b; }
int union_bad(int a, int b) { union either x; if (a) x.number = 1; return x.number; }
int union_safe(int a, int b) { union either x; x.number = 1; return x.number; }
int vla_bad(int a, int b) { int n = (a & 3) + 1; int x[n]; x[0] = 1; return x[n - 1]; }
int vla_safe(int a, int b) { int n = (a & 3) + 1; int x[n]; x[n - 1] = 1; return x[n - 1]; }
int copied_bad(int a, int b) { struct pair x, y; x.first = a; y = x; return y.second; }
int copied_safe(int a, int b) { struct pair x, y; x.first = a; x.second = b; y = x; return y.second; }
int moved_bad(int a, int b) { int x, y; if (a) x = 1; memcpy(&y, &x, sizeof y); return y; }
int moved_safe(int a, int b) { int x = 0, y; memcpy(&y, &x, sizeof y); return y; }
int complex_bad(int a, int b) { double complex x; if (a) x = 1; return creal(x) > 1; }
int complex_safe(int a, int b) { double complex x = 2; if (a) x = 1; return creal(x) > 1; }
static int fallen_bad_callee(int a) { if (a) return 1; }
int fallen_bad(int a, int b) { return fallen_bad_callee(a); }
static int fallen_safe_callee(int a) { if (a) return 1; return 2; }
int fallen_safe(int a, int b) { return fallen_safe_callee(a); }
int length_bad(int a, int b) { char x[4]; if (a) x[0] = 0; return (int)strlen(x); }
int length_safe(int a, int b) { char x[4]; x[0] = 0; return (int)strlen(x); }
#ifdef NATIVE
BELIEVED(scalar) BELIEVED(result) BELIEVED(tmp) BELIEVED(retval) BELIEVED(jumped) BELIEVED(jumped_only) BELIEVED(coerce)
BELIEVED(element) BELIEVED(member) BELIEVED(field) BELIEVED(masked) BELIEVED(macro) BELIEVED(heap) BELIEVED(outgoing)
BELIEVED(vector) BELIEVED(fraction) BELIEVED(long_fraction) BELIEVED(odd) BELIEVED(huge) BELIEVED(truth)
BELIEVED(volatile) BELIEVED(atomic) BELIEVED(updated) BELIEVED(pointer) BELIEVED(union) BELIEVED(vla) BELIEVED(copied)
BELIEVED(moved) BELIEVED(complex) BELIEVED(fallen) BELIEVED(length)
#endif
