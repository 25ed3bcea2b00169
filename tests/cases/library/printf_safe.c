#include <stdio.h>
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    printf("%d\n", x);
    fprintf(stderr, "value %d\n", x);
    puts("done");
    return 0;
}
