#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    errno = 0;
    assert(strlen("abc") == 3u);
    assert(errno == 0);
    assert(strtol("123", 0, 10) == 123);
    assert(strtol("-9223372036854775808", 0, 10) < 0);
    assert(errno == 0);
    strtol("999999999999999999999999999999", 0, 10);
    assert(errno == ERANGE);
    errno = EINVAL;
    assert(errno == EINVAL);
    return 0;
}
