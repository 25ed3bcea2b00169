// What an external function returns is its own, and others outside may write it later.
#include <assert.h>

int *get(void);
void wait(void);

void use(void)
{
    int *place = get();
    *place = 1;
    wait();
    assert(*place == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
static int own;
int *get(void)
{
    return &own;
}
void wait(void)
{
    own = 7;
}
int main(void)
{
    use();
}
#endif
