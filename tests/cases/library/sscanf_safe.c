// Known text is scanned exactly.
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int a, b;
    char word[4];
    assert(sscanf("12,-7 abcdef", "%d,%i %3s", &a, &b, word) == 3);
    assert(a == 12 && b == -7 && word[2] == 'c' && word[3] == 0);
    return 0;
}
