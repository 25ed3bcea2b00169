// An external function may keep a pointer and return it later.
#include <assert.h>

void keep(int *pointer);
int *get(void);

void use(void)
{
    int local;
    keep(&local);
    int *other = get();
    local = 1;
    *other = 2;
    assert(local == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
static int *kept;
void keep(int *pointer)
{
    kept = pointer;
}
int *get(void)
{
    return kept;
}
int main(void)
{
    use();
}
#endif
