#include <assert.h>
#include <stdio.h>

int put(FILE *f) {
    int c = fputc('a', f);
    assert(c == 'a' || c == EOF);
    return c;
}

/* %hn and its like store what their length says. */
int counted(void) {
    short few;
    long many;
    printf("a%hn%ln", &few, &many);
    return few == 0 && many == 0;
}
