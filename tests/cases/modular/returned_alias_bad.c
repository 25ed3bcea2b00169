// A callee returns a pointer into what it was given; a write through it changes that.
#include <assert.h>

static char *find(char *text, int n) {
    char *at = text;
    for (int i = 0; i < n && i < 3; i++) {
        at++;
    }
    return at;
}

int api(int n) {
    char text[4] = {0, 0, 0, 0};
    char *at = find(text, n);
    *at = 7;
    assert(text[2] == 0); // expect: assertion unsafe
    return 0;
}
