// memcpy and strcpy between places that overlap.
#include <stdlib.h>
#include <string.h>

static char buffer[30];

void constant(void)
{
    char s[10] = "abcdefghi";
    memcpy(s + 1, s, 5); // expect: pointer unsafe
}

void within(int i)
{
    char s[20] = {0};
    if (i > 0 && i < 10)
        memcpy(s + i, s, 8); // expect: pointer unsafe
}

void heap(size_t n)
{
    char *p = calloc(20, 1);
    if (p && n < 10)
        memcpy(p + 1, p, n); // expect: pointer unsafe
    free(p);
}

void global(void) { memcpy(buffer, buffer + 3, 10); } // expect: pointer unsafe

void text(void)
{
    char s[10] = "abcd";
    strcpy(s + 1, s); // expect: pointer unsafe
}

void appended(void)
{
    char s[20] = "abc";
    strcat(s, s); // expect: pointer unsafe
}
