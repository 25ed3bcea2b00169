// Of the last element a part may be there (C11 7.21.8.1p2), and what a function that fails leaves behind is not told.
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

void elements(FILE *f) {
    char b[8] = "1234567";
    if (fread(b, 4, 2, f) == 1) assert(b[4] == '5'); // expect: assertion unsafe
}

void line(FILE *f) {
    char b[8] = "old";
    if (!fgets(b, sizeof b, f)) assert(b[0] == 'o'); // expect: assertion unsafe
}

size_t huge(FILE *f) {
    char b[8];
    return fread(b, SIZE_MAX / 2 + 1, 2, f); // expect: pointer unsafe
}

int scanned(const char *s) {
    int a, end;
    if (sscanf(s, "%d;%n", &a, &end) != 1) return 0;
    return end > 3; // expect: uninitialised unsafe
}
