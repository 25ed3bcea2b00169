// A stream ends when it is closed (C11 7.21.3p4).
#include <stdio.h>

int after(void) {
    FILE *f = fopen("x", "r");
    if (!f) return 0;
    fclose(f);
    return fgetc(f); // expect: pointer unsafe
}

void twice(FILE *f) {
    fclose(f);
    fclose(f); // expect: pointer unsafe
}
