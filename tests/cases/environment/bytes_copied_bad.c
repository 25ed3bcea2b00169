// Bytes that library functions copy may be those of a pointer.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

struct slot { int *place; int count; };

int copied(struct slot *s)
{
    int *none = 0;
    memccpy(&s->place, &none, 77, sizeof none);
    return *s->place; // expect: pointer unsafe
}

int read_in(struct slot *s, FILE *file)
{
    if (fread(s, sizeof *s, 1, file) != 1) {
        return 0;
    }
    return *s->place; // expect: pointer unknown|unsafe|cond-unsafe; uninitialised unknown|safe
}
