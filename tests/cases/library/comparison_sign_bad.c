// Of what strcmp and memcmp return only the sign is told.
#include <assert.h>
#include <string.h>

void ordered(void) {
    assert(strcmp("c", "a") == 2); // expect: assertion unsafe
}

signed char same(const char a[4], const char b[4]) { return memcmp(a, b, 4); } // expect: narrowing unsafe
