// options: --checks default,cast
// Toyota ITC: data overflow and loss of significant digits.
extern int rand(void);

void data_lost_001(void)
{
    char ret;
    short a = 0x80;
    ret = a; // expect: narrowing unsafe
    (void)ret;
}

void data_lost_002(void)
{
    short ret;
    int a = rand();
    ret = a; // expect: narrowing unsafe
    (void)ret;
}

void data_lost_003(void)
{
    char ret;
    float a = 128.0f;
    ret = (char)a; // expect: narrowing unsafe
    (void)ret;
}

void data_lost_004(unsigned value)
{
    unsigned char ret = (unsigned char)(value >> 1); // expect: cast unsafe
    (void)ret;
}
