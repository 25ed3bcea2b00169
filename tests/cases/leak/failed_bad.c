// options: --checks all --malloc-may-fail
#include <stdlib.h>

int main(void)
{
    char *low = malloc(16); // expect: leak unsafe
    char *high = malloc(24);
    if (!high)
        return 1;
    free(low);
    free(high);
    return 0;
}
