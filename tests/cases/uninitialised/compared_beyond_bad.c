// One caller hands over four bytes, the other a hundred of which four are written.
#include <string.h>

static const char zeros[100];

static int is_zero(const char *text, unsigned n)
{
    return memcmp(text, zeros, n) == 0; // expect: uninitialised unsafe
}

int both(unsigned n)
{
    char few[4] = {0, 0, 0, 0}, many[100];
    many[0] = many[1] = many[2] = many[3] = 0;
    if (n > 100)
        return 0;
    return is_zero(few, n & 3) + is_zero(many, n);
}
