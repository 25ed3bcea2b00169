// isxdigit lets letters through.
#include <assert.h>
#include <ctype.h>
unsigned char nondet_uchar(void);

int main(void)
{
    unsigned char c = nondet_uchar();
    if (isxdigit(c)) {
        int d = c - '0';
        assert(d >= 0 && d <= 9); // expect: assertion unsafe
    }
    return 0;
}
