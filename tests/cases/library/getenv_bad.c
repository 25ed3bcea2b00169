#include <stdlib.h>

int main(void)
{
    const char *home = getenv("HOME");
    return home[0] == '/'; // expect: pointer unsafe
}
