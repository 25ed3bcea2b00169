#include <stdlib.h>

int main(void)
{
    char *p = malloc(4);
    if (p) {
        char *q = p + 2;
        *q = 1;
        free(q); // expect: pointer unsafe
    }
    return 0;
}
