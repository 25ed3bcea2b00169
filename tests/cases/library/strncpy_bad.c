// strncpy leaves out the terminator when the source is too long.
#include <string.h>

int main(void)
{
    char text[4];
    strncpy(text, "hello", sizeof text);
    return strlen(text) == 3; // expect: pointer unsafe
}
