// A clock need not be there.
// options: --target x86_64-linux-gnu
#include <assert.h>
#include <sys/time.h>
#include <time.h>

long part(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_nsec / 1000; // expect: uninitialised unsafe
}

long wrong(void) {
    struct timeval now;
    gettimeofday(&now, 0);
    assert(now.tv_usec < 999999); // expect: assertion unsafe
    return 0;
}
