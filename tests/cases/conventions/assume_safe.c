// __VERIFIER_assume cuts off what comes after it, not what came before.
void __VERIFIER_assume(int);
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    __VERIFIER_assume(x != 0 && x != -1);
    return 10 / x;
}
