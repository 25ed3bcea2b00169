// The destination is shorter than the source.
#include <string.h>

int main(void)
{
    unsigned a[4] = {1, 2, 3, 4}, b[3];
    memcpy(b, a, sizeof a); // expect: pointer unsafe
    return (int)b[0];
}
