// The argument may be a visible global, through which the local is reached.
#include <assert.h>

int *visible;
void wait(void);

void use(int **place)
{
    int local = 1;
    *place = &local;
    wait();
    assert(local == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
void wait(void)
{
    *visible = 7;
}
int main(void)
{
    use(&visible);
}
#endif
