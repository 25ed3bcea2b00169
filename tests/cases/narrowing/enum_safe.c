// options: --checks default,cast
#include <stdint.h>
enum level { LOW = 1, HIGH = 200 };
int nondet_int(void);

int main(void)
{
    enum level l = nondet_int() ? LOW : HIGH;
    uint8_t b = (uint8_t)l;
    return b == 1;
}
