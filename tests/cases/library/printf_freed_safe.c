#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *text = malloc(2);
    text[0] = 'a';
    text[1] = 0;
    printf("%s\n", text);
    free(text);
    printf("done %d\n", 3);
    return 0;
}
