#include <assert.h>
#include <string.h>

int main(void)
{
    char target[6];
    strcpy(target, "hello");
    assert(strcmp(target, "hello") == 0);
    return 0;
}
