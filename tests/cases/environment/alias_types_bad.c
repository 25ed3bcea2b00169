// Signs, qualifiers and typedefs make no other types of them.
#include <assert.h>
typedef unsigned long word;
enum colour { RED, GREEN };
void signs(word *a, long *b) { *a = 1; *b = 2; assert(*a == 1); } // expect: assertion unsafe
void qualifiers(const int **a, int **b, int *x, int *y) { *a = x; *b = y; assert(*a == x); } // expect: assertion unsafe
void underlying(enum colour *a, unsigned *b) { *a = RED; *b = 1; assert(*a == RED); } // expect: assertion unsafe
#ifdef EVIDENCE
int main(void)
{
    long w = 0;
    signs((word *)&w, &w);
    return 0;
}
#endif
