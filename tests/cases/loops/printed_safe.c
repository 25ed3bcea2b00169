// What is printed in a loop is arbitrary text of a known length, and leaves what lies beside it.
#include <assert.h>
#include <stdio.h>

struct report { char text[16]; int after; };

int counted(const char *s)
{
    char error[32];
    int lines = 1;
    unsigned sum = 0;
    for (; *s; s++) {
        if (*s == '\n') {
            if (lines < 1000) {
                lines++;
            }
        } else if (*s == '!') {
            int n = sprintf(error, "%d: %c", lines, *s);
            sum += 100u / (unsigned)n;
            sum += (unsigned char)error[n > 3 ? 3 : n];
        }
    }
    return (int)(sum & 1);
}

int beside(const char *s)
{
    struct report r;
    r.after = 7;
    for (; *s; s++) {
        snprintf(r.text, sizeof r.text, "%d and more", *s);
        assert(r.after == 7);
    }
    return 100 / r.after;
}
