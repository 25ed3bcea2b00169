#include <stdlib.h>
typedef int v4 __attribute__((vector_size(16)));
struct row { int n; int cells[4]; };
struct bits { unsigned low : 3; };
static int table[4] = {1, 2, 3, 4};
static int matrix[3][4];
int local_bad(int a, int b) { int x[4] = {1}; return x[a]; }
int local_safe(int a, int b) { int x[4] = {1}; return x[a & 3]; }
int global_bad(int a, int b) { return table[a]; }
int global_safe(int a, int b) { return table[a & 3]; }
int written_bad(int a, int b) { table[a] = b; return 0; }
int written_safe(int a, int b) { table[a & 3] = b; return 0; }
int inner_bad(int a, int b) { return matrix[1][a]; }
int inner_safe(int a, int b) { return matrix[1][a & 3]; }
int outer_bad(int a, int b) { return matrix[a][1]; }
int outer_safe(int a, int b) { return matrix[a & 1][1]; }
int member_bad(int a, int b) { struct row r = {0}; return r.cells[a]; }
int member_safe(int a, int b) { struct row r = {0}; return r.cells[a & 3]; }
int text_bad(int a, int b) { return "abc"[a]; }
int text_safe(int a, int b) { return "abc"[a & 3]; }
int constant_bad(int a, int b) { return table[4]; }
int constant_safe(int a, int b) { return table[3]; }
int field_bad(int a, int b) { struct bits s; s.low = a & 7; return table[s.low]; }
int field_safe(int a, int b) { struct bits s; s.low = a & 3; return table[s.low]; }
int vla_bad(int a, int b) { int n = (b & 3) + 1; int x[n]; for (int i = 0; i < n; i++) x[i] = 0; return x[a]; }
int vla_safe(int a, int b) { int n = (b & 3) + 1; int x[n]; for (int i = 0; i < n; i++) x[i] = 0; return x[0]; }
int literal_bad(int a, int b) { return ((int[]){1, 2, 3, 4})[a]; }
int literal_safe(int a, int b) { return ((int[]){1, 2, 3, 4})[a & 3]; }
int element_bad(int a, int b) { v4 x = {1, 2, 3, 4}; return x[a]; }
int element_safe(int a, int b) { v4 x = {1, 2, 3, 4}; return x[a & 3]; }
int put_bad(int a, int b) { v4 x = {1, 2, 3, 4}; x[a] = b; return x[0]; }
int put_safe(int a, int b) { v4 x = {1, 2, 3, 4}; x[a & 3] = b; return x[0]; }
int long_bad(int a, int b) { long long n = a; return table[n]; }
int long_safe(int a, int b) { long long n = a & 3; return table[n]; }
struct hall { struct row rows[4]; int counts[4]; _Complex double values[4]; int rest[40]; };
static struct hall hall;
static int first(struct row r) { return r.n; }
int counted_bad(int a, int b) { if (a >= 0 && a <= 4) hall.counts[a]++; return 0; }
int counted_safe(int a, int b) { if (a >= 0 && a < 4) hall.counts[a]++; return 0; }
int copied_bad(int a, int b) { struct row r = {0}; if (a >= 0 && a <= 4) r = hall.rows[a]; return r.n; }
int copied_safe(int a, int b) { struct row r = {0}; if (a >= 0 && a < 4) r = hall.rows[a]; return r.n; }
int passed_bad(int a, int b) { return a >= 0 && a <= 4 ? first(hall.rows[a]) : 0; }
int passed_safe(int a, int b) { return a >= 0 && a < 4 ? first(hall.rows[a]) : 0; }
int complex_bad(int a, int b) { if (a >= 0 && a <= 4) hall.values[a] = b; return 0; }
int complex_safe(int a, int b) { if (a >= 0 && a < 4) hall.values[a] = b; return 0; }
int atomic_bad(int a, int b) { return a >= 0 && a <= 4 ? __atomic_fetch_or(&hall.counts[a], b, __ATOMIC_SEQ_CST) : 0; }
int atomic_safe(int a, int b) { return a >= 0 && a < 4 ? __atomic_fetch_or(&hall.counts[a], b, __ATOMIC_SEQ_CST) : 0; }
int address_bad(int a, int b) { return a >= 0 && a <= 4 ? *&hall.counts[a] : 0; }
int address_safe(int a, int b) { return a >= 0 && a < 4 ? *&hall.counts[a] : &hall.counts[4] != &b; }
#ifdef NATIVE
FORM(local, 5, 0)
FORM(global, 5, 0)
FORM(written, 4, 0)
FORM(inner, 5, 0)
FORM(outer, 4, 0)
FORM(member, 6, 0)
FORM(text, 5, 0)
FORM(constant, 5, 0)
FORM(field, 5, 0)
FORM(vla, 5, 0)
FORM(literal, 5, 0)
BELIEVED(element) // GCC manual, "Vector Extensions": subscripting as for arrays, out of bounds is undefined
BELIEVED(put)
FORM(long, 5, 0)
BELIEVED(counted) // C17 6.5.6p8: one past the last element is no operand of *
BELIEVED(copied)
BELIEVED(passed)
BELIEVED(complex)
BELIEVED(atomic)
BELIEVED(address)
#endif
