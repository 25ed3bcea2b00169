#include <assert.h>

static int level;
void wait(void);

int current(void)
{
    return level;
}

void use(void)
{
    level = 1;
    wait();
    assert(level == 1);
}
