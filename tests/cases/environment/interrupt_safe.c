// A handler that holds its index to the array, whatever state it finds.
static volatile unsigned char buffer[8];
static volatile unsigned char at;

void USART1_IRQHandler(void)
{
    buffer[at & 7] = 1;
    at = (unsigned char)((at + 1) & 7);
}

int main(void)
{
    for (;;) {
    }
}
