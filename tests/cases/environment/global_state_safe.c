// In a library globals may hold anything when a function is called.
#include <stdint.h>
static uint8_t head;
static int buffer[8];

void put(int x)
{
    buffer[head % 8u] = x;
    head = (uint8_t)((head + 1u) % 8u);
}
