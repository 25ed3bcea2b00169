// A freed object stays freed, whatever the loop does next.
#include <stdlib.h>

int more(void);

void run(void)
{
    int *block = malloc(sizeof *block);
    if (block == NULL) {
        return;
    }
    *block = 0;
    while (more()) {
        *block = 1; // expect: pointer unsafe
        free(block); // expect: pointer cond-unsafe|unsafe
    }
}
