#include <assert.h>
#include <string.h>

void ordered(void) {
    assert(strcmp("c", "a") > 0);
    assert(strcmp("a", "c") < 0);
    assert(strcmp("a", "a") == 0);
}

signed char same(const char a[4], const char b[4]) { return memcmp(a, b, 4) == 0; }
