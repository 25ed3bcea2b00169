// The length of a short message fits a byte.
#include <stdint.h>
#include <string.h>

int main(void)
{
    uint8_t length = (uint8_t)strlen("hello");
    return length;
}
