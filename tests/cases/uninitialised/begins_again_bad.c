// options: --checks assertion
// A variable of a block is another one each time, also where nobody writes it.
#include <assert.h>

int main(void)
{
    int last = 0, differs = 0;
    for (int i = 0; i < 3; i++) {
        int x;
        if (i > 0 && x != last) {
            differs++;
        }
        last = x;
    }
    assert(differs != 2); // expect: assertion unsafe
    for (int i = 0; i < 2; i++) {
        int a[3];
        int *p = a + i;
        last = i ? last - *p : *p;
    }
    assert(last != 1000); // expect: assertion unsafe
    return 0;
}
