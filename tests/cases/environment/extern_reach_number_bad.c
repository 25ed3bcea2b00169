// An address may go out as a number.
#include <assert.h>
#include <stdint.h>

void update(uintptr_t address);

void use(void)
{
    int local = 1;
    update((uintptr_t)&local);
    assert(local == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
void update(uintptr_t address)
{
    *(int *)address = 7;
}
int main(void)
{
    use();
}
#endif
