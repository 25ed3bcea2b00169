#include <assert.h>

unsigned ntohl(unsigned);
unsigned nondet_uint(void);
static int table[256];

int main(void)
{
    unsigned index = ntohl(nondet_uint());
    return table[index & 0x1FFu]; // expect: bounds unsafe
}
