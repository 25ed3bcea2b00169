#include <stdlib.h>

int main(void)
{
    int *p = calloc(4, sizeof *p);
    if (!p) {
        return 1;
    }
    int x = p[2];
    free(p);
    return x;
}
