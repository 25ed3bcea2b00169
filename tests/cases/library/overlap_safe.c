#include <assert.h>
#include <string.h>

void bytes(void) {
    char a[8] = "abcdef";
    memmove(a + 1, a, 5);
    assert(a[2] == 'b');
    memcpy(a, a + 4, 4);
    assert(a[0] == 'd');
}

struct pair {
    int x, y;
};

void itself(struct pair *p) {
    struct pair a = {1, 2};
    a = a;
    *p = *p;
    assert(a.y == 2);
}
