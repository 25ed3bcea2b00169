// options: --checks default,cast
#include <stdint.h>
typedef struct {
    volatile uint32_t DATA;
    volatile uint32_t STATUS;
} uart_t;
#define UART ((uart_t *)0x40004000u)

int main(void)
{
    uint8_t c = 0;
    if (UART->STATUS & 1u) {
        c = (uint8_t)UART->DATA; // expect: cast unsafe
    }
    return c;
}
