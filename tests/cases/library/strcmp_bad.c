#include <assert.h>
#include <string.h>

int main(void)
{
    assert(strncmp("abc", "abd", 3) == 0); // expect: assertion unsafe
    return 0;
}
