#include <string.h>
unsigned nondet_uint(void);

int main(void)
{
    char source[8] = "abcdefg", target[8] = {0};
    unsigned n = nondet_uint();
    if (n <= 8u) {
        memcpy(target, source, n);
    }
    return target[0];
}
