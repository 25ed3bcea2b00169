// options: --checks default,cast
#include <stdint.h>
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    if (x < -32768 || x > 32767) {
        return 1;
    }
    int16_t s = (int16_t)x;
    return s == 4;
}
