#include <assert.h>
#include <ctype.h>
unsigned char nondet_uchar(void);

int main(void)
{
    unsigned char c = nondet_uchar();
    if (c >= 'a' && c <= 'z') {
        assert(toupper(c) >= 'A' && toupper(c) <= 'Z');
    }
    return 0;
}
