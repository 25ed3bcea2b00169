#include <string.h>
#include <time.h>

int main(void)
{
    char text[8];
    time_t now = time(0);
    struct tm *when = gmtime(&now);
    if (!when)
        return 0;
    strftime(text, 9, "%H:%M:%S", when); // expect: pointer unsafe
    return 0;
}
