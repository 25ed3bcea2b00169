#include <assert.h>
#include <stdio.h>

int both(void) {
    FILE *f = fopen("x", "r"), *g = fopen("y", "w");
    int c = 0;
    if (f && g) assert(f != g);
    if (f) fclose(f);
    if (g) {
        c = fputc('a', g);
        fclose(g);
    }
    return c;
}

void again(void) {
    FILE *f = freopen("x", "r", stdin);
    if (f) assert(f == stdin);
}
