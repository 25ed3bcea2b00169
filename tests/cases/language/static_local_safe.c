#include <assert.h>

static int next(void)
{
    static int counter = 5;
    return counter++;
}

int main(void)
{
    int a = next(), b = next();
    assert(a == 5 && b == 6);
    return 0;
}
