#include <assert.h>
#include <string.h>

int main(void)
{
    char text[8] = "ab";
    strcat(text, "cde");
    assert(text[4] == 'e' && text[5] == 0);
    return 0;
}
