// A weak symbol need not be defined; it is null then.
#include <assert.h>

extern int maybe __attribute__((weak));

void use(void)
{
    assert(&maybe != 0); // expect: assertion cond-unsafe
}
