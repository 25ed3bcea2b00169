// options: --checks default,cast
long nondet_long(void);

int main(void)
{
    long l = nondet_long();
    int i = 0;
    if (l >= -2147483648L && l <= 2147483647L) {
        i = (int)l;
    }
    return i == 3;
}
