// A number may be longer than it looks.
#include <stdio.h>
int nondet_int(void);

int main(void)
{
    char text[8];
    int x = nondet_int();
    if (x < 0) {
        return 1;
    }
    sprintf(text, "%d", x); // expect: pointer unsafe
    return 0;
}
