#include <stdint.h>
typedef unsigned _BitInt(17) u17;
int sum_bad(int a, int b) { return (unsigned)a + (unsigned)b > 3; }
int sum_safe(int a, int b) { return ((unsigned)a & 7) + ((unsigned)b & 7) > 3; }
int difference_bad(int a, int b) { return (unsigned)a - (unsigned)b > 3; }
int difference_safe(int a, int b) { return ((unsigned)a & 7 | 8) - ((unsigned)b & 7) > 3; }
int product_bad(int a, int b) { return (unsigned)a * (unsigned)b > 3; }
int product_safe(int a, int b) { return ((unsigned)a & 7) * ((unsigned)b & 7) > 3; }
int negate_bad(int a, int b) { return -(unsigned)a > 3; }
int negate_safe(int a, int b) { return -((unsigned)a & 0) > 3; }
int increment_bad(int a, int b) { unsigned x = (unsigned)a; x++; return x > 3; }
int increment_safe(int a, int b) { unsigned x = (unsigned)a & 7; x++; return x > 3; }
int long_bad(int a, int b) { uint64_t x = (uint64_t)(unsigned)a << 32; x += (uint64_t)(unsigned)b << 32; return x > 3; }
int long_safe(int a, int b) { uint64_t x = (uint64_t)(unsigned)a; x += (uint64_t)(unsigned)b; return x > 3; }
int odd_bad(int a, int b) { u17 x = (u17)(a & 0x1ffff), y = (u17)(b & 0x1ffff); x = x + y; return x > 3; }
int odd_safe(int a, int b) { u17 x = (u17)(a & 0xffff), y = (u17)(b & 0xffff); x = x + y; return x > 3; }
#ifdef NATIVE
FORM(sum, -1, -1)
FORM(difference, 0, 1)
FORM(product, -1, -1)
FORM(negate, 1, 1)
FORM(increment, -1, 1)
FORM(long, -1, -1)
FORM(odd, -1, -1)
#endif
