long nondet_long(void);

int main(void)
{
    long l = nondet_long();
    int i = (int)l; // expect: narrowing unsafe
    return i == 3;
}
