// A loop that waits for a pointer leaves with one: nobody puts null back.
#include <stddef.h>

static int *volatile ready;

int main(void)
{
    while (ready == NULL) {
    }
    return *ready & 1;
}
