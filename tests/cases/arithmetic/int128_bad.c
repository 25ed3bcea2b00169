long nondet_long(void);

int main(void)
{
    __int128 a = nondet_long(), b = nondet_long();
    __int128 p = a * b * 4; // expect: signed-overflow unsafe
    return p > 0;
}
