#include <unistd.h>

int main(void)
{
    unsigned char byte = 1;
    if (read(0, &byte, 1) != 1) {
        return 1;
    }
    return 100 / byte; // expect: division-by-zero unsafe
}
