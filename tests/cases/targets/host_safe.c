// The same product fits 32 bits.
unsigned char nondet_uchar(void);

int main(void)
{
    int x = nondet_uchar();
    return x * 200 > 3;
}
