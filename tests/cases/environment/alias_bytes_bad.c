// A pointer to bytes may lead into any object, a global among them.
#include <assert.h>

int setting;

void fill(unsigned char *bytes)
{
    setting = 1;
    bytes[1] = 2;
    assert(setting == 1); // expect: assertion unsafe
}

#ifdef EVIDENCE
int main(void)
{
    fill((unsigned char *)&setting);
}
#endif
