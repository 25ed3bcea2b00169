#include <assert.h>
#include <wchar.h>

int main(void)
{
    wchar_t copy[4];
    wcscpy(copy, L"abc");
    assert(wcslen(copy) == 3 && wcschr(copy, L'c') == copy + 2);
    return 0;
}
