// A string that is known is read to its end, however long it is.
#include <stdio.h>
#include <string.h>

extern volatile int count;

int main(void) {
    char line[200];
    memset(line, 'A', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    printf("%s\n", line);
    return 100 / count; // expect: division-by-zero unsafe
}
