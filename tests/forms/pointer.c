#include <stdlib.h>
#include <string.h>
typedef int v4 __attribute__((vector_size(16)));
typedef _BitInt(17) s17;
struct pair { int first, second; };
struct large { int cells[20]; };
struct bits { unsigned low : 3, high : 5; };
static struct large whole;
static struct pair two;
static int number;
static int sum_large(struct large x) { return x.cells[3]; }
static int sum_pair(struct pair x) { return x.second; }
static struct large give_large(struct large *p) { return *p; }
static int called(int x) { return x; }
#define AT(type, object) type *p = a ? 0 : (type *)&object

int read_bad(int a, int b) { AT(int, number); return *p; }
int read_safe(int a, int b) { a = 0; AT(int, number); return *p; }
int write_bad(int a, int b) { AT(int, number); *p = b; return 0; }
int write_safe(int a, int b) { a = 0; AT(int, number); *p = b; return 0; }
int member_bad(int a, int b) { AT(struct pair, two); return p->second; }
int member_safe(int a, int b) { a = 0; AT(struct pair, two); return p->second; }
int field_bad(int a, int b) { AT(struct bits, number); p->high = 3; return 0; }
int field_safe(int a, int b) { a = 0; AT(struct bits, number); p->high = 3; return 0; }
int vector_bad(int a, int b) { AT(v4, whole); v4 x = *p; return x[1]; }
int vector_safe(int a, int b) { static v4 place; a = 0; AT(v4, place); v4 x = *p; return x[1]; }
int fraction_bad(int a, int b) { AT(double, whole); return *p > 1; }
int fraction_safe(int a, int b) { static double place; a = 0; AT(double, place); return *p > 1; }
int long_fraction_bad(int a, int b) { AT(long double, whole); return *p > 1; }
int long_fraction_safe(int a, int b) { static long double place; a = 0; AT(long double, place); return *p > 1; }
int odd_bad(int a, int b) { AT(s17, number); return *p; }
int odd_safe(int a, int b) { static s17 place; a = 0; AT(s17, place); return *p; }
int volatile_bad(int a, int b) { AT(volatile int, number); return *p; }
int volatile_safe(int a, int b) { a = 0; AT(volatile int, number); return *p; }
int atomic_read_bad(int a, int b) { AT(int, number); return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
int atomic_read_safe(int a, int b) { a = 0; AT(int, number); return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
int atomic_write_bad(int a, int b) { AT(int, number); __atomic_store_n(p, b, __ATOMIC_SEQ_CST); return 0; }
int atomic_write_safe(int a, int b) { a = 0; AT(int, number); __atomic_store_n(p, b, __ATOMIC_SEQ_CST); return 0; }
int atomic_update_bad(int a, int b) { AT(int, number); return __atomic_fetch_or(p, b, __ATOMIC_SEQ_CST); }
int atomic_update_safe(int a, int b) { a = 0; AT(int, number); return __atomic_fetch_or(p, b, __ATOMIC_SEQ_CST); }
int exchange_bad(int a, int b) { AT(int, number); int old = 1; return __atomic_compare_exchange_n(p, &old, b, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); }
int exchange_safe(int a, int b) { a = 0; AT(int, number); int old = 1; return __atomic_compare_exchange_n(p, &old, b, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); }
int assigned_bad(int a, int b) { AT(struct large, whole); struct large x = *p; return x.cells[2]; }
int assigned_safe(int a, int b) { a = 0; AT(struct large, whole); struct large x = *p; return x.cells[2]; }
int by_value_bad(int a, int b) { AT(struct large, whole); return sum_large(*p); }
int by_value_safe(int a, int b) { a = 0; AT(struct large, whole); return sum_large(*p); }
int in_registers_bad(int a, int b) { AT(struct pair, two); return sum_pair(*p); }
int in_registers_safe(int a, int b) { a = 0; AT(struct pair, two); return sum_pair(*p); }
int given_bad(int a, int b) { AT(struct large, whole); return a ? p->cells[0] : give_large(&whole).cells[1]; }
int given_safe(int a, int b) { return give_large(&whole).cells[1]; }
int copy_bad(int a, int b) { AT(struct large, whole); memcpy(p, &two, sizeof two); return 0; }
int copy_safe(int a, int b) { a = 0; AT(struct large, whole); memcpy(p, &two, sizeof two); return 0; }
int moved_bad(int a, int b) { AT(struct large, whole); memmove(p, (char *)&whole + 4, 8); return 0; }
int moved_safe(int a, int b) { a = 0; AT(struct large, whole); memmove(p, (char *)&whole + 4, 8); return 0; }
int filled_bad(int a, int b) { AT(struct large, whole); memset(p, 0, sizeof whole); return 0; }
int filled_safe(int a, int b) { a = 0; AT(struct large, whole); memset(p, 0, sizeof whole); return 0; }
int length_bad(int a, int b) { const char *p = a ? 0 : "abc"; return (int)strlen(p); }
int length_safe(int a, int b) { const char *p = a ? "a" : "abc"; return (int)strlen(p); }
int callee_bad(int a, int b) { int (*f)(int) = a ? 0 : called; return f(b); }
int callee_safe(int a, int b) { int (*f)(int) = called; return f(b); }
int freed_bad(int a, int b) { int *p = malloc(4); free(p); if (a) free(p); return 0; }
int freed_safe(int a, int b) { int *p = malloc(4); free(p); p = 0; if (a) free(p); return 0; }
int released_bad(int a, int b) { int *p = malloc(4); if (!p) return 0; *p = b; if (a) free(p); b = *p; if (!a) free(p); return b; }
int released_safe(int a, int b) { int *p = malloc(4); if (!p) return 0; *p = b; b = *p; free(p); return b; }
int beyond_bad(int a, int b) { int *p = malloc(8); if (!p) return 0; p[a & 3] = b; free(p); return 0; }
int beyond_safe(int a, int b) { int *p = malloc(8); if (!p) return 0; p[a & 1] = b; free(p); return 0; }
int constant_bad(int a, int b) { char *p = a ? (char *)"abc" : (char *)&whole; *p = 'x'; return 0; }
int constant_safe(int a, int b) { char *p = (char *)&whole; *p = 'x'; return 0; }
static int *escaped(void) { int x = 3; int *p = &x; return p; }
int ended_bad(int a, int b) { int *p = a ? escaped() : &number; return *p; }
int ended_safe(int a, int b) { int *p = &number; return *p; }

int address_bad(int a, int b) { AT(struct pair, two); int *q = &p->second; return q == &b; }
int address_safe(int a, int b) { struct pair *p = &two; int *q = &p->second; return q == &b; }
#ifdef NATIVE
FORM(read, 1, 0) FORM(write, 1, 0) FORM(member, 1, 0) FORM(field, 1, 0) FORM(vector, 1, 0) FORM(fraction, 1, 0)
FORM(long_fraction, 1, 0) FORM(odd, 1, 0) FORM(volatile, 1, 0) FORM(atomic_read, 1, 0) FORM(atomic_write, 1, 0)
FORM(atomic_update, 1, 0) FORM(exchange, 1, 0) FORM(assigned, 1, 0) FORM(by_value, 1, 0) FORM(in_registers, 1, 0)
FORM(given, 1, 0) FORM(copy, 1, 0) FORM(moved, 1, 0) FORM(filled, 1, 0) FORM(length, 1, 0) FORM(callee, 1, 0)
FORM(freed, 1, 0) FORM(address, 1, 0)
BELIEVED(released) // C17 6.2.4: the object's lifetime has ended
BELIEVED(beyond) // C17 6.5.6: behind the last element
FORM(constant, 1, 0)
BELIEVED(ended) // C17 6.2.4
#endif
