#include <assert.h>
#include <string.h>

enum { SIZE = 6 };

char nondet_char(void);
unsigned nondet_uint(void);

int main(void)
{
    char a[SIZE], b[SIZE];
    for (int i = 0; i < SIZE - 1; i++) {
        a[i] = nondet_char();
        b[i] = nondet_char();
    }
    a[SIZE - 1] = b[SIZE - 1] = 0;
    unsigned from = nondet_uint();
    if (from >= SIZE)
        return 0;
    assert(strlen(a + from) != 3);                          // expect: assertion unsafe
    assert(strchr(a + from, 'q') != a + 4);                 // expect: assertion unsafe
    assert(strspn(a + from, "xy") != 2);                    // expect: assertion unsafe
    assert(strcmp(a, b) <= 0 || a[0] == b[0]);              // expect: assertion unsafe
    assert(memcmp(a, b, SIZE) != 0 || strlen(a) == 5);      // expect: assertion unsafe
    assert(strrchr(a, 'q') != a + 1 || a[0] != 'q');        // expect: assertion unsafe
    return 0;
}
