// Wide text: formatted into memory that is too small, scanned into it, printed without an end.
#include <assert.h>
#include <stdio.h>
#include <wchar.h>

void formatted(void)
{
    wchar_t to[50], from[100];
    wmemset(from, L'A', 99);
    from[99] = 0;
    swprintf(to, wcslen(from), L"%ls", from); // expect: pointer unsafe
}

void counted(void)
{
    wchar_t to[50];
    int n = swprintf(to, 50, L"<%d %5ls|%c>", 42, L"ab", 'x');
    assert(n == 13); // expect: assertion unsafe
}

void padded(void)
{
    wchar_t to[20];
    swprintf(to, 30, L"%25d", 1); // expect: pointer unsafe
}

void scanned(void)
{
    int x = 0;
    if (fwscanf(stdin, L"%d", &x) == 1)
        wprintf(L"%d\n", x * 2); // expect: signed-overflow unsafe
}

void too_wide(void)
{
    wchar_t to[10];
    wscanf(L"%10ls", to); // expect: pointer unsafe
}

void without_end(void)
{
    wchar_t text[10];
    wmemset(text, L'x', 10);
    wprintf(L"%ls\n", text); // expect: pointer unsafe
}

void copied(unsigned n)
{
    wchar_t from[12], to[10];
    if (n < 11) {
        wmemset(from, L'x', n);
        from[n] = 0;
        wcpcpy(to, from); // expect: pointer unsafe
    }
}
