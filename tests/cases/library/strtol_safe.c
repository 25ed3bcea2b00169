#include <assert.h>
#include <stdlib.h>

int main(void)
{
    char *end;
    assert(strtol(" -42x", &end, 10) == -42 && *end == 'x');
    assert(strtoul("ff", NULL, 16) == 255);
    assert(strtol("0x10", NULL, 0) == 16 && strtol("010", NULL, 0) == 8);
    return 0;
}
