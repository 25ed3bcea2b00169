#include <assert.h>

static unsigned open_files;

__attribute__((destructor)) static void finish(void)
{
    assert(open_files % 2u < 2u);
}

int main(void)
{
    open_files = 3u;
    return 0;
}
