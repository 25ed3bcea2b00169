// A line may be as long as it likes, and the room for it is there where none was read.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

short length(FILE *f) {
    char *line = NULL;
    size_t room = 0;
    return getline(&line, &room, f); // expect: narrowing unsafe
}

void none(FILE *f) {
    char *line = NULL;
    size_t room = 0;
    if (getline(&line, &room, f) < 0) assert(!line); // expect: assertion unsafe
    free(line);
}
