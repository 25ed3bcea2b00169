#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

void some(FILE *f) {
    char *line = NULL;
    size_t room = 0;
    if (getline(&line, &room, f) >= 0) assert(line && room > 0);
    free(line);
}
