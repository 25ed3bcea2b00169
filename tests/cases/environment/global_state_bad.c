// Nobody guarantees that head is small.
#include <stdint.h>
uint8_t head;
static int buffer[8];

void put(int x)
{
    buffer[head] = x; // expect: bounds unsafe
}
