// options: --checks assertion
// With the category left out, what nobody wrote is any value, and the native run gets the one that fails.
#include <assert.h>
#include <stdlib.h>

struct pair {
    int a;
    double d;
};

static int depth(int n)
{
    int x;
    if (n > 0) {
        x = 1;
        return depth(n - 1) + x;
    }
    return x;
}

static int kept(void)
{
    int x;
    return x;
}

int main(void)
{
    int x;
    struct pair p;
    int a[4];
    unsigned i;
    int *h = malloc(8 * sizeof *h);
    assert(x != 5);                     // expect: assertion unsafe
    assert(p.d != 1.5);                 // expect: assertion unsafe
    assert(i >= 4 || a[i] != 3);        // expect: assertion unsafe
    assert(h == NULL || h[3] != 9);     // expect: assertion unsafe
    assert(depth(2) != 44);             // expect: assertion unsafe
    int first = kept(), second = kept();
    assert(first != 3 || second != 4);  // expect: assertion unsafe
    return 0;
}
