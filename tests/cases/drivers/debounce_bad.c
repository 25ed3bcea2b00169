// options: --checks default,cast
#include <stdbool.h>
#include <stdint.h>
static uint8_t history;

bool pressed(bool level)
{
    history = (uint8_t)(history << 1 | (level ? 1 : 0)); // expect: cast unsafe
    return history == 0xFFu;
}
