int nondet_int(void);

int main(void)
{
    int n = nondet_int();
    if (n < 31) {
        return (1 >> n) == 2; // expect: shift unsafe
    }
    return 0;
}
