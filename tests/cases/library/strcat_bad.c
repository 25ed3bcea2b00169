#include <string.h>

int main(void)
{
    char text[5] = "abc";
    strcat(text, "de"); // expect: pointer unsafe
    return text[0];
}
