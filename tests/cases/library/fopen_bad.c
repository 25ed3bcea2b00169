// Opening may fail.
#include <stdio.h>

int main(void)
{
    FILE *file = fopen("settings", "r");
    int c = fgetc(file); // expect: pointer unsafe
    return c;
}
