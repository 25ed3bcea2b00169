// Objects of types that are not compatible share no memory, whatever their size (C11 6.5p7).
#include <assert.h>
struct node { int x; };
void ranks(long *a, long long *b) { *a = 1; *b = 2; assert(*a == 1); }
void texts(char **a, int **b, char *x, int *y) { *a = x; *b = y; assert(*a == x); }
void any(struct node **a, void **b, struct node *x) { *a = x; *b = 0; assert(*a == x); }
void deeper(int **a, int ***b, int *x, int **y) { *a = x; *b = y; assert(*a == x); }
