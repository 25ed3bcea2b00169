// The assumptions exclude every execution: that is a warning of its own.
// warning: assum
void __VERIFIER_assume(int);
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    __VERIFIER_assume(x > 5);
    __VERIFIER_assume(x < 3);
    return 10 / x;
}
