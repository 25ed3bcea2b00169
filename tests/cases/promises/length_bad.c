#include <stddef.h>
#include <stdint.h>
#include <string.h>

// vouch: requires data[length]
int sum(const uint8_t *data, size_t length)
{
    int total = 0;
    for (size_t i = 0; i <= length && i < 8; i++)
        total += data[i]; // expect: pointer unsafe
    return total;
}

// vouch: requires p[n + 1]
int behind(const short *p, unsigned char n)
{
    return p[n + 1]; // expect: pointer unsafe
}

// vouch: requires a[4] && b[8]
void constants(int *a, int *b)
{
    a[3] = 1;
    b[8] = 2; // expect: pointer unsafe
}

// vouch: requires to[n] && from[m]
void copy(void *restrict to, const void *restrict from, size_t n, size_t m)
{
    memcpy(to, from, n); // expect: pointer unsafe
}

// vouch: requires text[n]
size_t length(const char *text, size_t n)
{
    return strlen(text); // expect: pointer unsafe
}
