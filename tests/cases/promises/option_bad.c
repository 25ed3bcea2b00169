// options: --range adc()=0..1074 --range reg=0..0x53e3 --range gain=-5..214748365 --range half.x=-1.5..2.25
extern int adc(void);
volatile unsigned short reg;
int gain;

int volt(void)
{
    return adc() * 2000000; // expect: signed-overflow unsafe
}

int get(void)
{
    return reg * 100000; // expect: signed-overflow unsafe
}

int scale(int x)
{
    return x < 0 || x > 10 ? 0 : x * gain; // expect: signed-overflow unsafe
}

int half(float x)
{
    return (int)(x * 1e9f); // expect: narrowing unsafe
}
