#include <assert.h>
#include <time.h>

int main(void)
{
    clock_t now = clock();
    time_t then = time(NULL);
    assert(now >= 0 || now == (clock_t)-1);
    assert(then >= 0 || then == (time_t)-1);
    return 0;
}
