// What a variable of the program's own holds may be a function of the C library.
#include <stdlib.h>

static void (*release)(void *) = free;

void use(void (*other)(void *))
{
    release = other;
}

int close_item(int *item)
{
    int held = *item;
    release(item);
    return held;
}
