// Longer than any bound of a loop: an argument of the program may have any length.
#include <string.h>

int main(int argc, char **argv)
{
    char name[100];
    if (argc < 2)
        return 0;
    strcpy(name, argv[1]); // expect: pointer unsafe
    return name[0];
}
