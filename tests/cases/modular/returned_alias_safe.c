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
    int before = text[2];
    assert(before == text[2]);
    return at != 0 ? before : 0;
}
