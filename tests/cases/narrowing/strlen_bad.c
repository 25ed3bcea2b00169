// Strings can be longer than a short, or two bytes, can say.
#include <string.h>

int in_short(const char *s)
{
    short n = strlen(s); // expect: narrowing unsafe
    return n;
}

int in_word(const char *s)
{
    unsigned short n = strlen(s); // expect: narrowing unsafe
    return n;
}

// No native run is given two gibibytes: the violation stays one under a condition.
int in_int(const char *s)
{
    int n = strlen(s); // expect: narrowing cond-unsafe string of more than
    return n;
}
