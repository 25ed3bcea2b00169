// What memcpy leaves behind where its objects overlap is not told (C11 7.24.2.1p2); nor for strcpy and sprintf.
#include <assert.h>
#include <stdio.h>
#include <string.h>

void bytes(void) {
    char a[8] = "abcdef";
    memcpy(a + 1, a, 5); // expect: pointer unsafe
    assert(a[2] == 'b'); // expect: assertion cond-unsafe
}

void text(void) {
    char a[16] = "abcdef";
    strcpy(a + 1, a); // expect: pointer unsafe
    assert(a[2] == 'b'); // expect: assertion cond-unsafe
}
