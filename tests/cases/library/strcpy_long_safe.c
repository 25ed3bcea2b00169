#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char large[5000];
    if (argc < 2 || strlen(argv[1]) >= sizeof large)
        return 0;
    strcpy(large, argv[1]);
    char *copy = malloc(strlen(large) + 4);
    if (!copy)
        return 0;
    strcpy(copy, large);
    strcat(copy, "abc");
    int first = copy[0];
    free(copy);
    return first;
}
