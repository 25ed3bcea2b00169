// int has 16 bits on AVR.
// options: --target avr
unsigned char nondet_uchar(void);

int main(void)
{
    int x = nondet_uchar();
    return x * 100 > 3;
}
