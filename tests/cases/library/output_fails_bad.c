// Writing may fail.
#include <assert.h>
#include <stdio.h>

int put(FILE *f) {
    int c = fputc('a', f);
    assert(c == 'a'); // expect: assertion unsafe
    return c;
}
