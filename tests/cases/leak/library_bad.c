// options: --checks leak
#include <string.h>
int use(void) {
    char *copy = strdup("text"); // expect: leak unsafe
    return copy != 0;
}
