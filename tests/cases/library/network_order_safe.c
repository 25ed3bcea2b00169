#include <assert.h>

unsigned htonl(unsigned);
unsigned ntohl(unsigned);
unsigned short htons(unsigned short);
unsigned nondet_uint(void);

int main(void)
{
    unsigned x = nondet_uint();
    unsigned sent = htonl(0x01020304u);
    assert(ntohl(htonl(x)) == x);
    assert(*(unsigned char *)&sent == 1);
    assert(htons(0x1234) == 0x3412 || htons(0x1234) == 0x1234);
    return 0;
}
