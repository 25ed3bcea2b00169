// Copies within one object that do not overlap, or may; pointers from outside are taken to lie apart.
#include <string.h>

struct block { int words[10]; };
static char buffer[30];

void constant(void)
{
    char s[10] = "abcdefghi";
    memcpy(s + 5, s, 5);
    memmove(s + 1, s, 5);
    memcpy(s, s, 5);
}

void within(int i)
{
    char s[20] = {0};
    if (i >= 8 && i < 10)
        memcpy(s + i, s, 8);
}

void text(void)
{
    char s[10] = "abcd";
    strcpy(s + 5, s);
}

void outside(char *to, const char *from, size_t n)
{
    memcpy(to, from, n);
    memcpy(buffer, from, 10);
}

void assigned(struct block *p, struct block *q)
{
    struct block own = {{0}}, *same = &own;
    *p = *q;
    own = *same;
}
