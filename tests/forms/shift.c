#include <stdint.h>
typedef int v4 __attribute__((vector_size(16)));
typedef _BitInt(17) s17;
typedef unsigned _BitInt(17) u17;
struct bits { unsigned low : 6; };

int left_bad(int a, int b) { return (int)(((unsigned)a << b) & 1); }
int left_safe(int a, int b) { return (int)(((unsigned)a << (b & 31)) & 1); }
int right_bad(int a, int b) { return a >> b; }
int right_safe(int a, int b) { return a >> (b & 31); }
int natural_bad(int a, int b) { return (int)(((unsigned)a >> b) & 1); }
int natural_safe(int a, int b) { return (int)(((unsigned)a >> (b & 31)) & 1); }
int lost_bad(int a, int b) { return b >= 0 && b < 32 ? a << b : 0; }
int lost_safe(int a, int b) { return b >= 0 && b < 20 ? (a & 255) << b : 0; }
int compound_bad(int a, int b) { unsigned x = a; x <<= b; return x > 1; }
int compound_safe(int a, int b) { unsigned x = a; x <<= b & 31; return x > 1; }
int amount_bad(int a, int b) { long long n = (long long)b * 65536 * 65536; return a >> n; }
int amount_safe(int a, int b) { long long n = (long long)b & 31; return a >> n; }
int folded_bad(int a, int b) { return 1 << 40; }
int folded_safe(int a, int b) { return 1 << 4; }
int vector_bad(int a, int b) { v4 x = {a, a, a, a}, y = {1, 1, b, 1}; v4 z = x >> y; return z[0]; }
int vector_safe(int a, int b) { v4 x = {a, a, a, a}, y = {1, 1, b & 31, 1}; v4 z = x >> y; return z[0]; }
int odd_bad(int a, int b) { u17 x = a & 7; return (int)(x << b); }
int odd_safe(int a, int b) { u17 x = a & 7; return (int)(x << (b & 15)); }
int long_bad(int a, int b) { return (int)((uint64_t)a >> b & 1); }
int long_safe(int a, int b) { return (int)((uint64_t)a >> (b & 63) & 1); }
int field_bad(int a, int b) { struct bits s; s.low = b & 63; return a >> s.low; }
int field_safe(int a, int b) { struct bits s; s.low = b & 31; return a >> s.low; }
int leading_bad(int a, int b) { return __builtin_clz((unsigned)a); }
int leading_safe(int a, int b) { return __builtin_clz((unsigned)a | 1); }
int trailing_bad(int a, int b) { return __builtin_ctzll((unsigned)a); }
int trailing_safe(int a, int b) { return __builtin_ctzll((unsigned)a | 64ull); }

#ifdef NATIVE
FORM(left, 1, 32)
FORM(right, 1, 32)
FORM(natural, 1, -1)
FORM(lost, -5, 3)
FORM(compound, 1, 99)
FORM(amount, 1, 1)
FORM(folded, 0, 0)
BELIEVED(vector) // GCC manual, "Vector Extensions": shifts work as on scalars, and the amount is out of range
FORM(odd, 1, 17)
FORM(long, 1, 64)
FORM(field, 1, 40)
FORM(leading, 0, 0)
FORM(trailing, 0, 0)
#endif
