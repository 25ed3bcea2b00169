// The size of a pointer is not the size of the array.
#include <string.h>
#include <stddef.h>

static int clear(int *a, size_t n)
{
    memset(a, 0, sizeof(a));
    return a[n - 1]; // expect: uninitialised unsafe
}

int main(void)
{
    int a[5];
    return clear(a, 5);
}
