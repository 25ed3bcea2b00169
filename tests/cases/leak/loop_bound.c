// options: --checks leak --unwind 2 --strategy global
#include <stdlib.h>
// Executions that were not followed to their end may lose the memory there.
int use(unsigned n) {
    char *p = malloc(1); // expect: leak bound-safe
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += i;
    if (sum < 100)
        free(p);
    return 0;
}
