#include <stdio.h>
#include <string.h>

struct label {
    char name[8], path[16];
};

void append(int item)
{
    char line[64] = "items:";
    size_t n = strlen(line);
    snprintf(line + n, sizeof line - n, " %d", item);
}

void again(char *name, const char *other)
{
    strcpy(name, other);
}

void parts(void)
{
    char text[16] = "abcdefgh";
    sprintf(text + 4, "%.4s", text);
    snprintf(text, 0, "%s", text);
}

void members(void)
{
    struct label both = {"a", "b"};
    sprintf(both.path, "/%s", both.name);
}
