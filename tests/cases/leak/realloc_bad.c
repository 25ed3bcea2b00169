// Where realloc fails, the old block is still there, and nobody knows where.
// options: --checks all --malloc-may-fail
#include <stdlib.h>

int main(void)
{
    char *line = malloc(4); // expect: leak unsafe
    if (!line)
        return 1;
    line = realloc(line, 8);
    free(line);
    return 0;
}
