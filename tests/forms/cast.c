#include <stdint.h>
typedef unsigned _BitInt(17) u17;

int cast_bad(int a, int b) { return (uint8_t)a; }
int cast_safe(int a, int b) { return (uint8_t)(a & 255); }
int shifting_bad(int a, int b) { long long n = (long long)b << 32; return 1 << (int)(n + 1 & 31 | n); }
int shifting_safe(int a, int b) { long long n = b & 7; return 1 << (int)n; }
int odd_cast_bad(int a, int b) { u17 x = (u17)(a & 0xfffff); return (int)x; }
int odd_cast_safe(int a, int b) { u17 x = (u17)(a & 0xffff); return (int)x; }
int huge_bad(int a, int b) { __int128 x = (__int128)a << 40; return (int)x; }
int huge_safe(int a, int b) { __int128 x = (__int128)a; return (int)x; }
int signed_bad(int a, int b) { return (int8_t)a; }
int signed_safe(int a, int b) { return (int8_t)(a & 127); }
int twice_bad(int a, int b) { return (uint16_t)(uint8_t)a; }
int twice_safe(int a, int b) { return (uint16_t)(uint8_t)(a & 255); }
int stored_bad(int a, int b) { uint8_t x; x = (uint8_t)(a + b); return x; }
int stored_safe(int a, int b) { uint8_t x; x = (uint8_t)((a & 15) + (b & 15)); return x; }

#ifdef NATIVE
VALUE(cast, 256, 0, (int)(uint8_t)256 != 256)
VALUE(shifting, 0, 1, (int)(1ll << 32) != (1ll << 32))
VALUE(odd_cast, 0xfffff, 0, odd_cast_bad(0xfffff, 0) != 0xfffff)
VALUE(huge, 5, 0, huge_bad(5, 0) != (__int128)5 << 40)
VALUE(signed, 200, 0, signed_bad(200, 0) != 200)
VALUE(twice, 256, 0, twice_bad(256, 0) != 256)
VALUE(stored, 256, 0, stored_bad(256, 0) != 256)
#endif
