#include <stdint.h>
volatile uint8_t input;
static uint8_t history[4];

int main(void)
{
    uint8_t position = 0;
    for (;;) {
        history[position] = input; // expect: bounds unsafe
        position = (uint8_t)((position + 1u) % 5u);
    }
}
