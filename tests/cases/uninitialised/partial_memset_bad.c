#include <string.h>

int main(void)
{
    unsigned char frame[8];
    memset(frame, 0, 4);
    return frame[4]; // expect: uninitialised unsafe
}
