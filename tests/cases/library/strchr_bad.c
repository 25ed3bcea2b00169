#include <string.h>

int main(void)
{
    const char *text = "key:value";
    const char *p = strchr(text, '=');
    return p[1] == 'v'; // expect: pointer unsafe
}
