// The length of a number follows from its range.
#include <assert.h>
#include <stdio.h>
int nondet_int(void);

int main(void)
{
    char text[8];
    int x = nondet_int();
    if (x < 0 || x > 999999) {
        return 1;
    }
    sprintf(text, "%d", x);
    sprintf(text, "%c%s%02x", 'a', "bc", 10);
    assert(text[3] == '0' && text[4] == 'a' && text[5] == 0);
    return 0;
}
