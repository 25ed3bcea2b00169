#include <string.h>

int main(void)
{
    char a[6] = "abcde";
    memmove(a + 3, a, 4); // expect: pointer unsafe
    return a[0];
}
