#include <stdio.h>
int nondet_int(void);

int main(void)
{
    char text[16];
    int n = snprintf(text, sizeof text, "%d", nondet_int());
    return n > 0 ? text[0] : 0;
}
