#include <stdint.h>
typedef int v4 __attribute__((vector_size(16)));
typedef short v4s __attribute__((vector_size(8)));
typedef float v4f __attribute__((vector_size(16)));
typedef unsigned _BitInt(17) u17;
struct bits { int s : 3; unsigned u : 3; };

int assigned_bad(int a, int b) { uint8_t x = a; return x; }
int assigned_safe(int a, int b) { uint8_t x = a & 255; return x; }
static uint8_t returned_bad_callee(int a) { return a; }
int returned_bad(int a, int b) { return returned_bad_callee(a); }
static uint8_t returned_safe_callee(int a) { return a & 255; }
int returned_safe(int a, int b) { return returned_safe_callee(a); }
static int taken(uint8_t a) { return a; }
int passed_bad(int a, int b) { return taken(a); }
static int taken_well(uint8_t a) { return a; }
int passed_safe(int a, int b) { return taken_well(a & 255); }
int compound_bad(int a, int b) { uint8_t x = 250; x += a & 15; return x; }
int compound_safe(int a, int b) { uint8_t x = 5; x += a & 15; return x; }
#define SHIFTED(x, n) ((x) << (unsigned)(n))
int macro_bad(int a, int b) { long long n = (long long)(b & 7) << 32; return SHIFTED(1, n); }
int macro_safe(int a, int b) { long long n = b & 7; return SHIFTED(1, n); }
int signed_bad(int a, int b) { int8_t x = a; return x; }
int signed_safe(int a, int b) { int8_t x = a & 127; return x; }
int field_bad(int a, int b) { struct bits s; s.s = a; return s.s; }
int field_safe(int a, int b) { struct bits s; s.s = a & 3; return s.s; }
int natural_field_bad(int a, int b) { struct bits s; s.u = a; return (int)s.u; }
int natural_field_safe(int a, int b) { struct bits s; s.u = a & 7; return (int)s.u; }
int field_constant_bad(int a, int b) { struct bits s; s.s = 7; return s.s; }
int field_constant_safe(int a, int b) { struct bits s; s.s = 3; return s.s; }
int field_negative_bad(int a, int b) { struct bits s; s.s = -5; return s.s; }
int field_negative_safe(int a, int b) { struct bits s; s.s = -4; return s.s; }
int field_sum_bad(int a, int b) { struct bits s; s.s = 5 + 4; return s.s; }
int field_sum_safe(int a, int b) { struct bits s; s.s = 1 + 2; return s.s; }
int natural_constant_bad(int a, int b) { struct bits s; s.u = 9; return (int)s.u; }
int natural_constant_safe(int a, int b) { struct bits s; s.u = 6; return (int)s.u; }
int odd_bad(int a, int b) { u17 x = a & 0xfffff; return (int)x; }
int odd_safe(int a, int b) { u17 x = a & 0xffff; return (int)x; }
int float_bad(int a, int b) { float x = (float)a * 100.0f; return (int)x; }
int float_safe(int a, int b) { float x = (float)(a & 255) * 100.0f; return (int)x; }
int float_natural_bad(int a, int b) { double x = a; unsigned y = x; return y > 3; }
int float_natural_safe(int a, int b) { double x = a & 255; unsigned y = x; return y > 3; }
int float_folded_bad(int a, int b) { return (int)1e20; }
int float_folded_safe(int a, int b) { return (int)1e6; }
int long_double_bad(int a, int b) { long double x = a; x *= 100; return (int)x; }
int long_double_safe(int a, int b) { long double x = a & 15; return (int)x; }
int vector_bad(int a, int b) { v4 x = {1, a, 2, 3}; v4s y = __builtin_convertvector(x, v4s); return y[1]; }
int vector_safe(int a, int b) { v4 x = {1, a & 255, 2, 3}; v4s y = __builtin_convertvector(x, v4s); return y[1]; }
int float_vector_bad(int a, int b) { v4f x = {1, (float)a * 16.0f, 2, 3}; v4 y = __builtin_convertvector(x, v4); return y[1]; }
int float_vector_safe(int a, int b) { v4f x = {1, (float)(a & 255), 2, 3}; v4 y = __builtin_convertvector(x, v4); return y[1]; }
int atomic_bad(int a, int b) { _Atomic uint8_t x = 0; x = a; return x; }
int atomic_safe(int a, int b) { _Atomic uint8_t x = 0; x = a & 255; return x; }
int volatile_bad(int a, int b) { volatile uint8_t x = a; return x; }
int volatile_safe(int a, int b) { volatile uint8_t x = a & 255; return x; }
int choice_bad(int a, int b) { uint8_t x = b ? a : 3; return x; }
int choice_safe(int a, int b) { uint8_t x = b ? 4 : 3; return x; }

#ifdef NATIVE
FORM(assigned, 256, 0)
FORM(returned, 256, 0)
FORM(passed, 256, 0)
FORM(compound, 15, 0)
VALUE(macro, 0, 1, (unsigned)(1ll << 32) != (1ll << 32))
FORM(signed, 200, 0)
FORM(field, 7, 0)
FORM(natural_field, 9, 0)
VALUE(field_constant, 0, 0, field_constant_bad(0, 0) != 7)
VALUE(field_negative, 0, 0, field_negative_bad(0, 0) != -5)
VALUE(field_sum, 0, 0, field_sum_bad(0, 0) != 9)
FORM(natural_constant, 0, 0)
FORM(odd, 0xfffff, 0)
FORM(float, 2000000000, 0)
FORM(float_natural, -5, 0)
FORM(float_folded, 0, 0)
FORM(long_double, 2000000000, 0)
VALUE(vector, 70000, 0, vector_bad(70000, 0) != 70000)
BELIEVED(float_vector) // C17 6.3.1.4: undefined where the integral part cannot be represented
FORM(atomic, 256, 0)
FORM(volatile, 256, 0)
FORM(choice, 256, 1)
#endif
