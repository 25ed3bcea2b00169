// long has 32 bits on a Cortex-M.
// options: --target thumbv7m-none-eabi
int nondet_int(void);

int main(void)
{
    long x = nondet_int() & 0xFFFF;
    return x * 30000 > 3;
}
