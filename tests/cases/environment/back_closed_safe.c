// A program with a beginning of its own is not called again.
#include <assert.h>

void outside(void);

static long count;
static long *current = &count;

int main(void)
{
    *current = 3;
    outside();
    assert(*current == 3);
    return 0;
}
