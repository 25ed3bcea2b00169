#include <stdint.h>
struct bits { unsigned low : 31; };
int assigned_bad(int a, int b) { unsigned x = a; return x > 3; }
int assigned_safe(int a, int b) { unsigned x = a & 7; return x > 3; }
int back_bad(int a, int b) { unsigned x = (unsigned)a; int y = x; return y; }
int back_safe(int a, int b) { unsigned x = (unsigned)a & 7; int y = x; return y; }
int longer_bad(int a, int b) { uint64_t x = a; return x > 3; }
int longer_safe(int a, int b) { uint64_t x = a & 7; return x > 3; }
int compared_bad(int a, int b) { return a < 7u; }
int compared_safe(int a, int b) { return (a & 7) < 7u; }
int huge_bad(int a, int b) { unsigned __int128 x = (__int128)a; return x > 3; }
int huge_safe(int a, int b) { unsigned __int128 x = (__int128)(a & 7); return x > 3; }
#ifdef NATIVE
FORM(assigned, -1, 0)
FORM(back, -1, 0)
FORM(longer, -1, 0)
FORM(compared, -1, 0)
FORM(huge, -1, 0)
#endif
