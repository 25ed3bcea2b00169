#include <string.h>

int main(void)
{
    const char *text = "key=value";
    const char *p = strchr(text, '=');
    return p ? p[1] == 'v' : 0;
}
