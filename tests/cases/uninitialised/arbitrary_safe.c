// options: --checks assertion
#include <assert.h>

static int kept(void)
{
    int x;
    return x;
}

int main(void)
{
    int x;
    unsigned i;
    int a[4] = {1, 2, 4, 8};
    if (x > 3) {
        assert(x != 3);
    }
    assert(i >= 4 || a[i] < 9);
    int first = kept();
    assert((first & 1) < 2);
    return 0;
}
