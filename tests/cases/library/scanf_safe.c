#include <stdio.h>

int main(void)
{
    int x = 1;
    if (scanf("%d", &x) != 1 || x < 1) {
        return 1;
    }
    return 10 / x;
}
