// A float keeps its bits when it is copied, a NaN too.
#include <string.h>

void __VERIFIER_assert(int);
unsigned long long nondet_ullong(void);

int main(void)
{
    unsigned long long bits = nondet_ullong(), back;
    double d;
    memcpy(&d, &bits, sizeof d);
    double copy = d;
    memcpy(&back, &copy, sizeof back);
    __VERIFIER_assert(bits == back);
    bits = 0x7FFF80018002000AULL;
    memcpy(&d, &bits, sizeof d);
    copy = d;
    memcpy(&back, &copy, sizeof back);
    __VERIFIER_assert(back == 0x7FFF80018002000AULL);
    return 0;
}
