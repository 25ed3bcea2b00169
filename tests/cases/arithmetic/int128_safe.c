// 64-bit factors fit 128 bits.
long nondet_long(void);

int main(void)
{
    __int128 a = nondet_long(), b = nondet_long();
    __int128 p = a * b;
    return p > 0;
}
