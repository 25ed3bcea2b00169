#include <stdint.h>
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    uint8_t b = 0;
    if (x >= 0 && x <= 256) {
        b = x; // expect: narrowing unsafe
    }
    return b == 9;
}
