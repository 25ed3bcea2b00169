// options: --unwind 8
// Functions on strings against loops that say what they do, on contents that nobody knows, from any place on.
#include <assert.h>
#include <string.h>

enum { SIZE = 6 };

char nondet_char(void);
unsigned nondet_uint(void);

static int sign(int x) { return (x > 0) - (x < 0); }

int main(void)
{
    char a[SIZE], b[SIZE], c = nondet_char();
    for (int i = 0; i < SIZE - 1; i++) {
        a[i] = nondet_char();
        b[i] = nondet_char();
    }
    a[SIZE - 1] = b[SIZE - 1] = 0;
    unsigned from = nondet_uint();
    if (from >= SIZE)
        return 0;

    const char *s = a + from;
    size_t length = 0, at = 0, span = 0, apart = 0;
    while (s[length])
        length++;
    assert(strlen(s) == length);
    assert(strnlen(s, 2) == (length < 2 ? length : 2));

    while (at <= length && s[at] != c)
        at++;
    assert(strchr(s, c) == (at <= length ? s + at : NULL));
    assert(memchr(a, c, SIZE) != NULL || at > length);

    while (s[span] == 'x' || s[span] == 'y')
        span++;
    assert(strspn(s, "xy") == span);
    assert(strcspn(s, "xy") == (span ? 0 : strcspn(s, "yx")));

    while (a[apart] && a[apart] == b[apart])
        apart++;
    int order = (unsigned char)a[apart] - (unsigned char)b[apart];
    assert(sign(strcmp(a, b)) == sign(order));
    assert((memcmp(a, b, SIZE) == 0) <= (order == 0));
    assert(strncmp(a, b, apart) == 0);
    char *last = strrchr(s, c);
    assert(!last || (*last == c && last >= s && last <= s + length));
    assert((last == NULL) == (at > length));
    return 0;
}
