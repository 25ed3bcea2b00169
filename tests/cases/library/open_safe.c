#include <assert.h>
#include <fcntl.h>

int main(void)
{
    int file = open("settings", 0);
    assert(file >= -1);
    return 0;
}
