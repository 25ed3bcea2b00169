#include <stdlib.h>

int main(void)
{
    int x[2] = {1, 2};
    int *p = x;
    free(p); // expect: pointer unsafe
    return 0;
}
