// Library functions and functions without a body set errno.
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int send_frame(int port);

int main(void)
{
    char byte;
    errno = 0;
    if (send_frame(3) < 0)
        assert(errno != EINTR); // expect: assertion unsafe
    errno = 0;
    if (read(0, &byte, 1) < 0)
        assert(errno == 0); // expect: assertion unsafe
    errno = 0;
    if (!fopen("settings", "r"))
        assert(errno != ENOENT); // expect: assertion unsafe
    errno = 0;
    strtol("999999999999999999999999999999", 0, 10);
    assert(errno == 0); // expect: assertion unsafe
    return 0;
}
