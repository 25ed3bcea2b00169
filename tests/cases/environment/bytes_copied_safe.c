// Text that library functions write beside pointers leaves them as they are.
#include <stdio.h>
#include <string.h>

struct slot { int *place; char name[16]; };

int copied(struct slot *s, struct slot *other)
{
    strncpy(s->name, "name", sizeof s->name);
    sprintf(s->name, "%d", 5);
    return *s->place == 5 && other != s;
}
