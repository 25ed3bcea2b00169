// Each turn makes a block and frees it.
#include <stdlib.h>

int run(const unsigned char *text, unsigned n) {
    int sum = 0;
    for (unsigned i = 0; i < n; i++) {
        int *next = malloc(sizeof *next);
        *next = text[i];
        sum ^= 100 / (*next + 1); // expect: division-by-zero safe
        free(next);
    }
    return sum;
}
