// C11 7.27.1: days of the month begin with 1, months with 0, and a second may be 60.
#include <time.h>

static const int days[30];
static const int seconds[60];

int day(time_t when)
{
    struct tm *fields = gmtime(&when);
    return fields ? days[fields->tm_mday - 1] : 0; // expect: bounds unsafe
}

int second(struct tm *fields)
{
    return mktime(fields) == -1 ? 0 : seconds[fields->tm_sec]; // expect: bounds unsafe
}
