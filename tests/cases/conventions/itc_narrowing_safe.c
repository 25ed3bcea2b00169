extern int rand(void);

void data_lost_001(void)
{
    char ret;
    short a = 0x7F;
    ret = a;
    (void)ret;
}

void data_lost_002(void)
{
    short ret;
    int a = rand() % 1000;
    ret = a;
    (void)ret;
}

void data_lost_003(void)
{
    char ret;
    float a = 127.0f;
    ret = (char)a;
    (void)ret;
}

void data_lost_004(unsigned value)
{
    unsigned char ret = (unsigned char)(value >> 24);
    (void)ret;
}
