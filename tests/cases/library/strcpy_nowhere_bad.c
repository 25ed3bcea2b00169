// What comes after a string function that was given a bad pointer is still looked at, without a bound.
#include <string.h>
int nondet_int(void);

int main(void)
{
    char target[8];
    char *source = 0;
    strcpy(target, source); // expect: pointer unsafe
    int x = nondet_int();
    if (x > 0 && x < 9) {
        return 10 / x;
    }
    return 0;
}
