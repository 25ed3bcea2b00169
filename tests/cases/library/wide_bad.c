// Room for the characters, but not for the one that ends them.
#include <wchar.h>

int main(void)
{
    wchar_t copy[3];
    wcscpy(copy, L"abc"); // expect: pointer unsafe
    return 0;
}
