// The argument may be a visible global that the function itself does not mention; an external function writes it.
#include <assert.h>

int level;
void wait(void);

void use(int *place)
{
    *place = 1;
    wait();
    assert(*place == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
void wait(void)
{
    level = 7;
}
int main(void)
{
    use(&level);
}
#endif
