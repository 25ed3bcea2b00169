// A format that is not known may read and write anything: nothing behind it is proved, the call's own access least.
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc < 2)
        return 0;
    printf(argv[1]); // expect: pointer unknown printf with arguments that its model does not cover
    return 0;        // maybe: uninitialised unknown
}
