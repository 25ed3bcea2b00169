// Only two of four bytes are set.
#include <stdint.h>
union word {
    uint32_t whole;
    uint16_t half[2];
};

int main(void)
{
    union word w;
    w.half[0] = 7;
    return w.whole == 7; // expect: uninitialised unsafe
}
