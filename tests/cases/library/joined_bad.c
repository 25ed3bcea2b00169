// Room for two strings and no end.
#include <stdlib.h>
#include <string.h>

int joined(const char *folder)
{
    char *path = malloc(strlen(folder) + 1);
    if (!path)
        return 0;
    strcpy(path, folder);
    strcat(path, "/"); // expect: pointer unsafe
    free(path);
    return 1;
}
