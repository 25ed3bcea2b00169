// An array without elements does not make everything true.
#include <assert.h>

int table[0];

void check(int number)
{
    assert(number != 3); // expect: assertion unsafe
}

#ifdef EVIDENCE
int main(void)
{
    check(3);
}
#endif
