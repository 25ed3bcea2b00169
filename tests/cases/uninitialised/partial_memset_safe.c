#include <string.h>

int main(void)
{
    unsigned char frame[8];
    memset(frame, 0, 4);
    memset(frame + 4, 1, 4);
    return frame[0] + frame[7];
}
