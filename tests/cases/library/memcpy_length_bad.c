#include <string.h>
unsigned nondet_uint(void);

int main(void)
{
    char source[8] = "abcdefg", target[8] = {0};
    unsigned n = nondet_uint();
    if (n <= 9u) {
        memcpy(target, source, n); // expect: pointer unsafe
    }
    return target[0];
}
