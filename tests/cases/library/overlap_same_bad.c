// Text that is written over itself: the library may read what it has just written.
#include <stdio.h>
#include <string.h>

void append(int item)
{
    char line[64] = "items:";
    snprintf(line, sizeof line, "%s %d", line, item); // expect: pointer unsafe
}

void again(void)
{
    char name[8] = "left";
    strcpy(name, name); // expect: pointer unsafe
}

void format(void)
{
    char text[16] = "a %d";
    sprintf(text, text, 1); // expect: pointer unsafe
}

void first_word(void)
{
    char text[16] = "go on";
    sscanf(text, "%15s", text); // expect: pointer unsafe
}
