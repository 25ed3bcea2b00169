// options: --checks default,cast
#include <stdint.h>
uint16_t nondet_ushort(void);

int main(void)
{
    uint16_t seconds = nondet_ushort();
    if (seconds > 65u) {
        seconds = 65u;
    }
    uint16_t ms = (uint16_t)(seconds * 1000u);
    return ms == 7;
}
