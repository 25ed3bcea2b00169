// options: --checks leak
#include <stdlib.h>
#include <string.h>
int use(void) {
    char *copy = strdup("text");
    int found = copy != 0;
    free(copy);
    return found;
}
