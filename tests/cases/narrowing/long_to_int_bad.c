// options: --checks default,cast
long nondet_long(void);

int main(void)
{
    long l = nondet_long();
    int i = (int)l; // expect: cast unsafe
    return i == 3;
}
