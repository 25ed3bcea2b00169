#include <stdint.h>
typedef int v4 __attribute__((vector_size(16)));
typedef unsigned char v16 __attribute__((vector_size(16)));
typedef unsigned _BitInt(17) u17;
struct bits { unsigned low : 3; };

int quotient_bad(int a, int b) { return a / b; }
int quotient_safe(int a, int b) { return a / (b | 8); }
int rest_bad(int a, int b) { return a % b; }
int rest_safe(int a, int b) { return a % (b | 8); }
int natural_bad(int a, int b) { return (unsigned)a / (unsigned)b > 3; }
int natural_safe(int a, int b) { return (unsigned)a / ((unsigned)b | 1) > 3; }
int compound_bad(int a, int b) { a /= b; return a; }
int compound_safe(int a, int b) { a /= b | 2; return a; }
int compound_rest_bad(int a, int b) { unsigned x = a; x %= (unsigned)b; return x > 1; }
int compound_rest_safe(int a, int b) { unsigned x = a; x %= (unsigned)b | 4; return x > 1; }
int folded_bad(int a, int b) { return 7 / 0; }
int folded_safe(int a, int b) { return 7 / 1; }
int vector_bad(int a, int b) { v4 x = {a, a, a, a}, y = {1, 1, b, 1}; v4 z = x / y; return z[0]; }
int vector_safe(int a, int b) { v4 x = {a, a, a, a}, y = {1, 1, b & 7, 1}; v4 z = x / (y | 8); return z[0]; }
int vector_rest_bad(int a, int b) { v16 x = {a, a}, y = {1, b, 3, 4}; v16 z = x % (y | (v16){0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}); return z[0]; }
int vector_rest_safe(int a, int b) { v16 x = {a, a}, y = {1, b}; v16 z = x % (y | 4); return z[0]; }
int odd_bad(int a, int b) { u17 x = a & 7, y = b & 7; return (int)(x / y); }
int odd_safe(int a, int b) { u17 x = a & 7, y = b & 7 | 1; return (int)(x / y); }
int huge_bad(int a, int b) { __int128 x = a, y = b; return (int)(x / y > 4); }
int huge_safe(int a, int b) { __int128 x = a, y = (__int128)b * b + 1; return (int)(x / y > 4); }
int field_bad(int a, int b) { struct bits s; s.low = b & 7; return a / (int)s.low; }
int field_safe(int a, int b) { struct bits s; s.low = b & 7; return a / ((int)s.low + 1); }
int atomic_bad(int a, int b) { _Atomic int x = b; return a / x; }
int atomic_safe(int a, int b) { _Atomic int x = b & 7; int y = x; return y > 0 ? a / y : 0; }
int volatile_bad(int a, int b) { volatile int x = b; return a / x; }
int volatile_safe(int a, int b) { volatile int x = b; int y = x; return y > 0 ? a / y : 0; }
int small_bad(int a, int b) { uint8_t x = b & 255; return a / x; }
int small_safe(int a, int b) { uint8_t x = b & 127; return a / (x + 1); }
int pointed_bad(int a, int b) { int *p = &b; return a / *p; }
int pointed_safe(int a, int b) { int *p = &b; *p |= 16; return a / *p; }

#ifdef NATIVE
FORM(quotient, 1, 0)
FORM(rest, 1, 0)
FORM(natural, 1, 0)
FORM(compound, 1, 0)
FORM(compound_rest, 1, 0)
FORM(folded, 0, 0)
FORM(vector, 1, 0)
FORM(vector_rest, 1, 0)
FORM(odd, 1, 0)
FORM(huge, 1, 0)
FORM(field, 1, 0)
FORM(atomic, 1, 0)
FORM(volatile, 1, 0)
FORM(small, 1, 0)
FORM(pointed, 1, 0)
#endif
