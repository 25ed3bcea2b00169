extern void __VERIFIER_error(void);
extern void __VERIFIER_assume(int);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    __VERIFIER_assume(x % 2u == 1u);
    if (x == 7u) {
        __VERIFIER_error(); // expect: assertion unsafe
    }
    return 0;
}
