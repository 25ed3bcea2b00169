#include <assert.h>
#include <stdlib.h>

int *same(int *pointer);

void use(int *given)
{
    int *block = malloc(sizeof *block);
    if (block == NULL) {
        return;
    }
    int *other = same(given);
    *block = 1;
    *other = 2;
    assert(*block == 1);
    free(block);
}
