// options: --target thumbv7m-none-eabi
int nondet_int(void);

int main(void)
{
    long x = nondet_int() & 0xFFFF;
    return x * 40000 > 3; // expect: signed-overflow unsafe
}
