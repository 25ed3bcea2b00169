#include <assert.h>
#include <stdio.h>

int said(const char *s)
{
    char error[32];
    for (; *s; s++) {
        int n = sprintf(error, "%d", *s & 7);
        if (100 / (error[0] - '5') == n) { // expect: division-by-zero unsafe
            return 1;
        }
    }
    return 0;
}

int counted(const char *s)
{
    char error[32];
    for (; *s; s++) {
        int n = sprintf(error, "%d", *s);
        if (100 / (n - 3) == 2) { // expect: division-by-zero unsafe
            return 1;
        }
    }
    return 0;
}

int behind(const char *s)
{
    char error[32];
    for (; *s; s++) {
        sprintf(error, "%d", *s & 7);
        if (error[4] == 'x') { // expect: uninitialised unsafe
            return 1;
        }
    }
    return 0;
}

int ended(const char *s)
{
    char error[8] = "1234567";
    for (; *s; s++) {
        sprintf(error, "%d", *s & 7);
        assert(error[1] != 0); // expect: assertion unsafe
    }
    return 0;
}
