// options: --target avr
// replay: no
unsigned char nondet_uchar(void);

int main(void)
{
    int x = nondet_uchar();
    return x * 200 > 3; // expect: signed-overflow unsafe
}
