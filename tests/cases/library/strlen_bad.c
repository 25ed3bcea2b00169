// No terminator inside the array.
#include <string.h>

int main(void)
{
    char text[3] = {'a', 'b', 'c'};
    return strlen(text) == 3; // expect: pointer unsafe
}
