// Functions that cannot fail have written their results.
// options: --target x86_64-linux-gnu
#define _GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <sys/time.h>

long part(void) {
    struct timeval now;
    gettimeofday(&now, 0);
    assert(now.tv_usec < 1000000);
    return now.tv_usec * 1000;
}

double both(double x) {
    double s, c;
    sincos(x, &s, &c);
    return s + c;
}
