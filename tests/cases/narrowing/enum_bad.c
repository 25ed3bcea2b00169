// options: --checks default,cast
#include <stdint.h>
enum level { LOW = 1, HIGH = 300 };
int nondet_int(void);

int main(void)
{
    enum level l = nondet_int() ? LOW : HIGH;
    uint8_t b = (uint8_t)l; // expect: cast unsafe
    return b == 1;
}
