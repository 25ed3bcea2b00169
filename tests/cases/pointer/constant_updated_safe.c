#include <stdio.h>

static int limits[4] = {1, 2, 3, 4};

static void capital(char *text)
{
    text[0] -= 32;
}

static void count(int *place)
{
    ++*place;
}

static int first(const char *text)
{
    return text[0] == 'a' ? text[0] - 32 : text[0];
}

int main(void)
{
    char name[] = "abc";
    name[1] ^= 1;
    capital(name);
    count(&limits[2]);
    __atomic_add_fetch(&limits[1], 1, 0);
    char table[4] = "abc";
    fread(table, 1, sizeof table, stdin);
    return first("abc");
}
