// Every IR form in which signed arithmetic can leave its type.
#include <limits.h>
#include <stdint.h>
typedef int v4 __attribute__((vector_size(16)));
typedef _BitInt(17) s17;
typedef _BitInt(200) s200;
struct bits { int low : 5; };

int add_bad(int a, int b) { return a + b; }
int add_safe(int a, int b) { return (a / 2) + (b / 2); }
int sub_bad(int a, int b) { return a - b; }
int sub_safe(int a, int b) { return (a / 2) - (b / 2); }
int mul_bad(int a, int b) { return a * b; }
int mul_safe(int a, int b) { return (a % 1000) * (b % 1000); }
int negate_bad(int a, int b) { return -a; }
int negate_safe(int a, int b) { return a > -9 ? -a : b; }
int increment_bad(int a, int b) { a++; return a; }
int increment_safe(int a, int b) { if (a < 5) a++; return a; }
int compound_bad(int a, int b) { a -= b; return a; }
int compound_safe(int a, int b) { a /= 4; a -= b / 4; return a; }
int promoted_bad(int a, int b) { unsigned short x = a & 65535, y = b & 65535; return x * y; }
int promoted_safe(int a, int b) { unsigned char x = a & 255, y = b & 255; return x * y; }
int folded_bad(int a, int b) { return INT_MAX + 1; }
int folded_safe(int a, int b) { return INT_MAX + 0; }
int quotient_bad(int a, int b) { return b ? a / b : 0; }
int quotient_safe(int a, int b) { return b > 0 ? a / b : 0; }
int rest_bad(int a, int b) { return b ? a % b : 0; }
int rest_safe(int a, int b) { return b > 0 ? a % b : 0; }
int divided_bad(int a, int b) { if (b) a /= b; return a; }
int divided_safe(int a, int b) { if (b > 0) a /= b; return a; }
int vector_bad(int a, int b) { v4 x = {1, 2, a, 3}, y = {1, 1, b, 1}; if (!b) return 0; v4 z = x / y; return z[2]; }
int vector_safe(int a, int b) { v4 x = {1, 2, a, 3}, y = {1, 1, b, 1}; if (b <= 0) return 0; v4 z = x / y; return z[2]; }
int vector_rest_bad(int a, int b) { v4 x = {1, 2, a, 3}, y = {1, 1, b, 1}; if (!b) return 0; v4 z = x % y; return z[2]; }
int vector_rest_safe(int a, int b) { v4 x = {1, 2, a, 3}, y = {1, 1, b, 1}; if (b <= 0) return 0; v4 z = x % y; return z[2]; }
int odd_bad(int a, int b) { s17 x = (s17)(a % 60000), y = (s17)(b % 60000); x = x + y; return x; }
int odd_safe(int a, int b) { s17 x = (s17)(a % 30000), y = (s17)(b % 30000); x = x + y; return x; }
int wide_bad(int a, int b) { s200 x = (s200)a << 168, y = b; x = x * y; return x > 0; }
int wide_safe(int a, int b) { s200 x = a, y = b; x = x * y; return x > 0; }
int long_bad(int a, int b) { int64_t x = (int64_t)a * INT_MAX; x *= b; return x > 0; }
int long_safe(int a, int b) { int64_t x = (int64_t)a * 2; x += b; return x > 0; }
int huge_bad(int a, int b) { __int128 x = (__int128)a << 95; x += (__int128)b << 96; return x > 0; }
int huge_safe(int a, int b) { __int128 x = (__int128)a << 60; x += (__int128)b << 60; return x > 0; }
int absolute_bad(int a, int b) { return __builtin_abs(a); }
int absolute_safe(int a, int b) { return a > -9 ? __builtin_abs(a) : 0; }
int field_bad(int a, int b) { struct bits s; s.low = a & 7; return s.low + (b | 0x7ffffff8); }
int field_safe(int a, int b) { struct bits s; s.low = a & 7; return s.low + (b & 7); }
int pointed_bad(int a, int b) { int *p = &a; *p += b; return *p; }
int pointed_safe(int a, int b) { int *p = &a; *p /= 2; *p += b / 2; return *p; }
int volatile_bad(int a, int b) { volatile int x = a; return x + b; }
int volatile_safe(int a, int b) { volatile int x = a; int y = x; return y < 9 && y > -9 ? y + b / 2 : 0; }
int choice_bad(int a, int b) { return (a > 0 ? a : 1) + (b > 0 ? b : 1); }
int choice_safe(int a, int b) { return (a > 9 ? 9 : 1) + (b > 9 ? 9 : 1); }

#ifdef NATIVE
#define TWO INT_MIN, -1
FORM(add, INT_MAX, INT_MAX)
FORM(sub, INT_MIN, INT_MAX)
FORM(mul, 65536, 65536)
FORM(negate, INT_MIN, 0)
FORM(increment, INT_MAX, 0)
FORM(compound, INT_MIN, INT_MAX)
FORM(promoted, 65535, 65535)
FORM(folded, 0, 0)
FORM(quotient, TWO)
FORM(rest, TWO)
FORM(divided, TWO)
FORM(vector, TWO)
FORM(vector_rest, TWO)
FORM(odd, 59999, 59999)
FORM(wide, INT_MAX, 65536)
FORM(long, INT_MAX, 65536)
FORM(huge, INT_MAX, INT_MAX)
FORM(absolute, INT_MIN, 0)
FORM(field, 7, INT_MAX)
FORM(pointed, INT_MAX, 1)
FORM(volatile, INT_MAX, 1)
FORM(choice, INT_MAX, INT_MAX)
#endif
