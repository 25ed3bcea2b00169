#include <time.h>

static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

int length(time_t when)
{
    struct tm *fields = gmtime(&when);
    return fields ? days[fields->tm_mon] : 0;
}

int normalised(struct tm *fields) { return mktime(fields) == -1 ? 0 : days[fields->tm_mon]; }
