// The number read may be anything.
#include <stdio.h>

int main(void)
{
    int x = 1;
    if (scanf("%d", &x) != 1) {
        return 1;
    }
    return 10 / x; // expect: division-by-zero unsafe
}
