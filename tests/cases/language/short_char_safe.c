// Plain char may be signed: the comparison is made with that in mind.
#include <assert.h>
char nondet_char(void);

int main(void)
{
    char c = nondet_char();
    unsigned char u = (unsigned char)(c & 0x7F);
    assert(u < 128);
    return 0;
}
