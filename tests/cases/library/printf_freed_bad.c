#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *text = malloc(2);
    text[0] = 'a';
    text[1] = 0;
    free(text);
    printf("%s\n", text); // expect: pointer unsafe
    return 0;
}
