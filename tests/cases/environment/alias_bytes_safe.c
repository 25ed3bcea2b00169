// No pointer from outside leads to a variable whose address never leaves this file.
#include <assert.h>

static int setting;

void fill(unsigned char *bytes)
{
    setting = 1;
    bytes[1] = 2;
    assert(setting == 1);
}
