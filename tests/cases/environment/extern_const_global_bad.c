// A global that other files can see is written by them, also if a function gets it as const.
#include <assert.h>

int level;
void show(const int *level);

void use(void)
{
    level = 1;
    show(&level);
    assert(level == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
void show(const int *pointer)
{
    level = 7;
}
int main(void)
{
    use();
}
#endif
