#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[8];
    if (!fgets(line, sizeof line, stdin)) {
        return 1;
    }
    return strlen(line) < 8 ? line[0] == 'x' : 1;
}
