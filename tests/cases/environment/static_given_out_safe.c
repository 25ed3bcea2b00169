#include <assert.h>

static int level;
void wait(void);

static int current(void)
{
    return level;
}

int main(void)
{
    level = 1;
    wait();
    assert(current() == 1);
    return 0;
}
