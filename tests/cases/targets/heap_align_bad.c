// options: --target avr
// replay: no
// Nothing is aligned on this processor, so neither is what malloc gives.
#include <stdint.h>

void *malloc(unsigned);
void free(void *);
void assert(int);

int main(void)
{
    char *p = malloc(4);
    if (!p)
        return 0;
    assert(((uintptr_t)p & 3) == 0); // expect: assertion unsafe
    free(p);
    return 0;
}
