// The second word may be missing.
#include <stdio.h>
#include <string.h>

int main(void)
{
    char text[] = "single";
    char *first = strtok(text, " ");
    char *second = strtok(NULL, " ");
    return first[0] + second[0]; // expect: pointer unsafe
}
