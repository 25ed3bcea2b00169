// Each of the two fits, both together do not.
#include <string.h>

int main(int argc, char **argv)
{
    char both[100];
    if (argc < 3 || strlen(argv[1]) >= sizeof both || strlen(argv[2]) >= sizeof both)
        return 0;
    strcpy(both, argv[1]);
    strcat(both, argv[2]); // expect: pointer unsafe
    return both[0];
}
