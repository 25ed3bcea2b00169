#include <stdint.h>

int main(void)
{
    int x[4] = {1, 2, 3, 4};
    uintptr_t n = (uintptr_t)x;
    int *p = (int *)(n + 4 * sizeof(int));
    return *p == 3; // expect: pointer unsafe
}
