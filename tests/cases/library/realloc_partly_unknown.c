// What a copy of a variable length leaves unwritten must not count as written.
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n > 0 && n < 1000);
    int *p = calloc(n, sizeof(int));
    if (p == 0) {
        return 0;
    }
    int *q = realloc(p, (n + 2) * sizeof(int));
    if (q == 0) {
        free(p);
        return 0;
    }
    int beyond = q[n]; // expect: uninitialised unknown|unsafe
    free(q);
    return beyond;
}
