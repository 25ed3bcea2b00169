#include <string.h>

int in_short(const char *s)
{
    size_t length = strlen(s);
    short n = length > 100 ? 100 : length;
    return n;
}

int in_int(const char *s)
{
    size_t length = strlen(s);
    return length > 0x7fffffff ? -1 : (int)length;
}
