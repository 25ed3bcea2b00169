// An external function may call what other files can call.
#include <assert.h>

static int count;
void wait(void);

void reset(void)
{
    count = 0;
}

void run(void)
{
    count = 1;
    wait();
    assert(count == 1); // expect: assertion cond-unsafe
}

#ifdef EVIDENCE
void wait(void)
{
    reset();
}
int main(void)
{
    run();
}
#endif
