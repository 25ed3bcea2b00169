#include <stdio.h>

int main(void)
{
    FILE *file = fopen("settings", "r");
    if (!file) {
        return 1;
    }
    int c = fgetc(file);
    fclose(file);
    return c >= -1 && c <= 255 ? 0 : 1 / (c - c);
}
