// options: --checks default,cast
#include <stdbool.h>
#include <stdint.h>
static uint8_t history;

bool pressed(bool level)
{
    history = (uint8_t)(((uint32_t)history << 1 | (level ? 1u : 0u)) & 0xFFu);
    return history == 0xFFu;
}
