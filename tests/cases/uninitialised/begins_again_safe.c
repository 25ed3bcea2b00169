// options: --checks assertion
#include <assert.h>

int main(void)
{
    int last = 0, differs = 0;
    for (int i = 0; i < 3; i++) {
        int x;
        x = 7;
        if (i > 0 && x != last) {
            differs++;
        }
        last = x;
    }
    assert(differs == 0);
    int y, before = y;
    for (int i = 0; i < 2; i++) {
        assert(y == before);
    }
    return 0;
}
