#include <assert.h>
#include <stdbool.h>
int nondet_int(void);

int main(void)
{
    bool b = nondet_int();
    assert(b == 0 || b == 1);
    return b + b;
}
