// No object is that large: the result is null.
#include <stdlib.h>

void run(void)
{
    int *block = malloc((size_t)-4);
    *block = 1; // expect: pointer unsafe
}

#ifdef EVIDENCE
int main(void)
{
    run();
}
#endif
