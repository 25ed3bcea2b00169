// Each turn makes a block and frees the one before; behind the loop the last one is used after it was freed.
#include <stdlib.h>

int run(const unsigned char *text, unsigned n) {
    int *last = malloc(sizeof *last);
    int sum = 0;
    *last = 1;
    for (unsigned i = 0; i < n; i++) {
        int *next = malloc(sizeof *next);
        *next = text[i];
        free(last); // expect: pointer unsafe
        if (text[i] == 9) {
            free(next);
        }
        last = next;
    }
    sum = *last; // expect: pointer unsafe
    return sum;
}
