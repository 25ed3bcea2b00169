// Nobody outside can call the function that would change it.
#include <assert.h>

static int count;
void wait(void);

static void reset(void)
{
    count = 0;
}

int main(void)
{
    reset();
    count = 1;
    wait();
    count = count + 1;
    assert(count == 2);
    return 0;
}
