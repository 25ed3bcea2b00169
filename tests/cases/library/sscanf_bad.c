// A conversion that does not match leaves its variable as it was.
#include <stdio.h>

int main(void)
{
    int a, b;
    sscanf("12 x", "%d %d", &a, &b);
    return a == b; // expect: uninitialised unsafe
}
