// Overlapping regions are what memmove is for.
#include <assert.h>
#include <string.h>

int main(void)
{
    char a[6] = "abcde";
    memmove(a + 1, a, 4);
    assert(a[0] == 'a' && a[1] == 'a' && a[4] == 'd');
    return 0;
}
