// options: --checks all --malloc-may-fail
#include <stdlib.h>

int main(void)
{
    char *line = malloc(4);
    if (!line)
        return 1;
    line[3] = 'x';
    char *longer = realloc(line, 8);
    if (!longer) {
        line[3] = 'y';
        free(line);
        return 1;
    }
    char last = longer[3];
    free(longer);
    return last == 'x';
}
