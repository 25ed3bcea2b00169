void __VERIFIER_assume(int);
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    int q = 10 / x; // expect: division-by-zero unsafe
    __VERIFIER_assume(q > 0);
    return q;
}
