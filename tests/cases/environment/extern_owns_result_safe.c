// An argument that nobody was given is the caller's own.
#include <assert.h>

void wait(void);

void use(short *place)
{
    *place = 1;
    wait();
    assert(*place == 1);
}
