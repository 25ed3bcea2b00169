// slow: strcpy_long_safe.c
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char name[100], large[5000];
    if (argc < 3 || strlen(argv[1]) >= sizeof name || strlen(argv[2]) >= sizeof large)
        return 0;
    strcpy(name, argv[1]);
    strcpy(large, argv[2]);
    char *copy = malloc(strlen(large) + strlen(name) + 1);
    if (!copy)
        return 0;
    strcpy(copy, large);
    strcat(copy, name);
    int first = copy[0];
    free(copy);
    return first;
}
