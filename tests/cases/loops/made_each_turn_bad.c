// Each turn makes a block; one that was freed already is used behind the loop.
#include <stdlib.h>

int run(unsigned n, unsigned gone) {
    int *last = malloc(sizeof *last);
    *last = 1;
    for (unsigned i = 0; i < n && i < 3; i++) {
        last = malloc(sizeof *last);
        *last = 2;
        if (i == gone) {
            free(last);
        }
    }
    return *last; // expect: pointer unsafe
}
