#include <assert.h>
#include <string.h>

int main(void)
{
    assert(strcmp("abc", "abd") < 0 && strncmp("abc", "abd", 2) == 0);
    return 0;
}
