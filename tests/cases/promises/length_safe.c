#include <stddef.h>
#include <stdint.h>
#include <string.h>

// vouch: requires data[length]
int sum(const uint8_t *data, size_t length)
{
    int total = 0;
    for (size_t i = 0; i < length && i < 8; i++)
        total += data[i];
    return total;
}

// vouch: requires p[n + 1]
int within(const short *p, unsigned char n)
{
    return p[n];
}

// vouch: requires a[4] && b[8]
void constants(int *a, int *b, int *others)
{
    a[3] = 1;
    b[7] = 2;
    others[100] = 3;
}

// vouch: requires to[n] && from[m] && n <= m
void copy(void *restrict to, const void *restrict from, size_t n, size_t m)
{
    memcpy(to, from, n);
}

// vouch: requires text[n] && n > 0
size_t length(char *text, size_t n)
{
    text[n - 1] = 0;
    return strlen(text);
}
