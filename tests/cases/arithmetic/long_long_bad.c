// Widened too late.
int nondet_int(void);

int main(void)
{
    int a = nondet_int(), b = nondet_int();
    long long s = (long long)(a + b); // expect: signed-overflow unsafe
    return s > 0;
}
