// What a user types may be any number.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char line[20];
    if (!fgets(line, sizeof line, stdin)) {
        return 1;
    }
    long n = strtol(line, NULL, 10);
    long twice = n * 2; // expect: signed-overflow unsafe
    return twice > 0;
}
