// A static variable whose address was returned is known outside from then on.
#include <assert.h>

static int level;
void wait(void);

int *place(void)
{
    return &level;
}

void use(void)
{
    level = 1;
    wait();
    assert(level == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
static int *known;
void wait(void)
{
    *known = 7;
}
int main(void)
{
    known = place();
    use();
}
#endif
