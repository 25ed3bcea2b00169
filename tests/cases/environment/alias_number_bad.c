// An argument that is an address as a number leads to what other pointers lead to.
#include <assert.h>
#include <stdint.h>

int visible;

void use(uintptr_t address)
{
    visible = 1;
    *(int *)address = 2; // maybe: pointer unsafe; pointer unknown
    assert(visible == 1); // expect: assertion unsafe|cond-unsafe
}

#ifdef EVIDENCE
int main(void)
{
    use((uintptr_t)&visible);
}
#endif
