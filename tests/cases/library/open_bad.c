#include <assert.h>
#include <fcntl.h>

int main(void)
{
    int file = open("settings", 0);
    assert(file >= 0); // expect: assertion unsafe
    return open(0, 0); // expect: pointer unsafe
}
