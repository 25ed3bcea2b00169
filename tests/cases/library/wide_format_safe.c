// Wide text in memory that is large enough; what does not fit is an error.
#include <assert.h>
#include <stdio.h>
#include <wchar.h>

void formatted(void)
{
    wchar_t to[50], from[100];
    wmemset(from, L'A', 99);
    from[99] = 0;
    assert(swprintf(to, 50, L"%ls", from) == -1);
}

void counted(void)
{
    wchar_t to[50];
    int n = swprintf(to, 50, L"<%d %5ls|%c>", 42, L"ab", 'x');
    assert(n == 12);
    assert(wcscmp(to, L"<42    ab|x>") == 0);
}

void padded(void)
{
    wchar_t to[26];
    assert(swprintf(to, 26, L"%25d", 1) == 25);
    assert(to[0] == L' ' && to[24] == L'1' && to[25] == 0);
}

void scanned(void)
{
    wchar_t to[10];
    if (wscanf(L"%9ls", to) == 1)
        wprintf(L"%ls\n", to);
}

void copied(unsigned n)
{
    wchar_t from[12], to[10];
    if (n < 10) {
        wmemset(from, L'x', n);
        from[n] = 0;
        wchar_t *end = wcpcpy(to, from);
        assert(*end == 0 && end - to < 10);
        const wchar_t *found = wcsstr(from, L"ab");
        assert(!found || found >= from);
    }
}
