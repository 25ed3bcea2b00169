// options: --range adc()=0..1000 --range reg=0..0x1000 --range gain=-5..5 --range half.x=-1.5..1.5
extern int adc(void);
volatile unsigned short reg;
int gain;

int volt(void)
{
    return adc() * 2000000;
}

int get(void)
{
    return reg * 100000;
}

int scale(int x)
{
    return x < 0 || x > 10 ? 0 : x * gain;
}

int half(float x)
{
    return (int)(x * 1e9f);
}
