// The main loop of a controller never ends; what it does in each turn is safe.
#include <stdint.h>
volatile uint8_t input;
static uint8_t history[4];

int main(void)
{
    uint8_t position = 0;
    for (;;) {
        history[position] = input;
        position = (uint8_t)((position + 1u) % 4u);
    }
}
