#include <assert.h>
#include <stdbool.h>
int nondet_int(void);

int main(void)
{
    bool b = nondet_int();
    assert(!b); // expect: assertion unsafe
    return 0;
}
