// options: --target i386-linux-gnu
// replay: no
#include <assert.h>

int main(void)
{
    assert(sizeof(long) == 8); // expect: assertion unsafe
    return 0;
}
