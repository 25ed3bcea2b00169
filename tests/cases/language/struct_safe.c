#include <assert.h>
struct inner {
    short a;
    long b;
};
struct outer {
    char tag;
    struct inner in[2];
    int sum;
};
int nondet_int(void);

static struct outer make(int x)
{
    struct outer o = {.tag = 'x', .in = {{1, x}, {2, 5}}, .sum = 0};
    return o;
}

int main(void)
{
    int x = nondet_int();
    struct outer o = make(x), copy = o;
    copy.in[1].b = 6;
    assert(o.in[1].b == 5 && copy.in[0].b == x && copy.tag == 'x');
    return 0;
}
