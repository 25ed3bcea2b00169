#include <assert.h>
#include <ctype.h>
unsigned char nondet_uchar(void);

int main(void)
{
    unsigned char c = nondet_uchar();
    if (isdigit(c)) {
        int d = c - '0';
        assert(d >= 0 && d <= 9);
    }
    return 0;
}
