// options: --checks leak
// expect-somewhere: leak unsafe
#include <stdlib.h>
int nondet_int(void);

int main(void)
{
    char *p = malloc(10);
    if (nondet_int()) {
        free(p);
    }
    return 0;
}
