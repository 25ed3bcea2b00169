// A constant that is read and written in one expression, or by the library.
#include <stdio.h>

static const int limits[4] = {1, 2, 3, 4};

static void capital(char *text)
{
    text[0] -= 32; // expect: pointer unsafe
}

static void count(int *place)
{
    ++*place; // expect: pointer unsafe
}

void name(void)
{
    capital("abc");
}

void number(void)
{
    count((int *)&limits[2]);
}

void own(unsigned i)
{
    char *text = "abc";
    text[i & 1] ^= 1; // expect: pointer unsafe
}

void filled(void)
{
    static const char table[4] = "abc";
    fread((void *)table, 1, sizeof table, stdin); // expect: pointer unsafe
}

int atomic(void)
{
    return __atomic_add_fetch((int *)&limits[1], 1, 0); // expect: pointer unsafe
}
