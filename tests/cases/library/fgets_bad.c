// Room for less than what fgets may write.
#include <stdio.h>

int main(void)
{
    char line[8];
    if (!fgets(line, 10, stdin)) { // expect: pointer unsafe
        return 1;
    }
    return line[0] == 'x';
}
