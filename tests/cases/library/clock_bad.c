// C11 7.27.2.1 and 7.27.2.4: -1 where the time is not available.
#include <assert.h>
#include <time.h>

int main(void)
{
    assert(clock() >= 0); // expect: assertion unsafe
    assert(time(NULL) >= 0); // expect: assertion unsafe
    return 0;
}
