#include <cassert>

static void swap(int &a, int b)
{
    int t = a;
    a = b;
    b = t;
}

int main()
{
    int x = 1, y = 2;
    swap(x, y);
    assert(x == 2 && y == 1); // expect: assertion unsafe
    return 0;
}
