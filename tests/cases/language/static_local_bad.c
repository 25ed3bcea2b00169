#include <assert.h>

static int next(void)
{
    static int counter = 5;
    return counter++;
}

int main(void)
{
    int a = next(), b = next();
    assert(a == b); // expect: assertion unsafe
    return 0;
}
