// options: --checks default,cast
// The cast says it is meant, the value still changes.
#include <stdint.h>
unsigned nondet_uint(void);

int main(void)
{
    uint32_t word = nondet_uint();
    uint8_t low = (uint8_t)(word >> 16); // expect: cast unsafe
    return low == 3;
}
