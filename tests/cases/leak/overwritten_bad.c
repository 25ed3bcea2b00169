// options: --checks leak
// expect-somewhere: leak unsafe
#include <stdlib.h>

int main(void)
{
    char *p = malloc(10);
    p = malloc(20);
    free(p);
    return 0;
}
