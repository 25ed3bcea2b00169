// A pointer survives the way through an integer.
#include <stdint.h>

int main(void)
{
    int x[4] = {1, 2, 3, 4};
    uintptr_t n = (uintptr_t)x;
    int *p = (int *)(n + 2 * sizeof(int));
    return *p == 3;
}
