// The terminator does not fit.
#include <string.h>

int main(void)
{
    char target[5];
    strcpy(target, "hello"); // expect: pointer unsafe
    return target[0];
}
