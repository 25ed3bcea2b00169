#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>

uint8_t letter(uint8_t c) { return isalpha(c) != 0; }

int between(uint8_t c) {
    if (isdigit(c)) assert(c >= '0' && c <= '9');
    return isdigit(c) ? c - '0' : -1;
}
