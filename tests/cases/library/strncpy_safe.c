#include <assert.h>
#include <string.h>

int main(void)
{
    char text[4];
    strncpy(text, "hello", sizeof text - 1);
    text[3] = 0;
    assert(strlen(text) == 3);
    return 0;
}
