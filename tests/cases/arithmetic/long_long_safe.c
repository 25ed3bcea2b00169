// The sum is computed in 64 bits.
int nondet_int(void);

int main(void)
{
    int a = nondet_int(), b = nondet_int();
    long long s = (long long)a + b;
    return s > 0;
}
