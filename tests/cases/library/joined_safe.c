// options: --checks pointer
#include <stdlib.h>
#include <string.h>

int joined(const char *folder)
{
    char *path = malloc(strlen(folder) + 2);
    if (!path)
        return 0;
    strcpy(path, folder);
    strcat(path, "/");
    free(path);
    return 1;
}
