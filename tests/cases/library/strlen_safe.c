#include <assert.h>
#include <string.h>

int main(void)
{
    char text[8] = "abc";
    assert(strlen(text) == 3);
    return 0;
}
