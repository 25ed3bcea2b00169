#include <assert.h>
#include <stdio.h>

void elements(FILE *f) {
    char b[8] = "1234567";
    if (fread(b, 4, 1, f) <= 1) assert(b[4] == '5');
}

void line(FILE *f) {
    char b[8] = "old", c[8] = "old";
    if (!fgets(b, sizeof b, f)) assert(c[0] == 'o');
}

int scanned(const char *s) {
    int a, end = 0;
    if (sscanf(s, "%d;%n", &a, &end) != 1) return 0;
    return end > 3;
}
