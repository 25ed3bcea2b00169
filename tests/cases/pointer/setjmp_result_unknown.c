// What a function returns that calls setjmp is not known, and not from outside either.
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf start;

static char *made(void) {
    if (setjmp(start)) return 0;
    return malloc(1);
}

int main(void) {
    char *p = made();
    p[50] = 1; // expect: pointer unknown setjmp
    return 0;
}
