// What is true need not be 1: isalpha('a') is 1024 in glibc.
#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>

uint8_t letter(uint8_t c) { return isalpha(c); } // expect: narrowing unsafe

int ended(FILE *f) {
    int e = feof(f);
    assert(e == 0 || e == 1); // expect: assertion unsafe
    return e;
}
