#include <stdlib.h>
#include <string.h>

int main(void)
{
    void *page;
    if (posix_memalign(&page, 64, 16))
        return 1;
    memcpy(page, "fifteen letters", 16);
    free(page);
    return 0;
}
