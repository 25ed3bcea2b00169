#include <assert.h>
#include <string.h>
#include <time.h>

int main(void)
{
    char text[9];
    time_t now = time(0);
    struct tm *when = gmtime(&now);
    if (!when)
        return 0;
    if (strftime(text, sizeof text, "%H:%M:%S", when) > 0)
        assert(strlen(text) <= 8u);
    return 0;
}
