// The older form: __VERIFIER_error and __VERIFIER_assume without bodies.
extern void __VERIFIER_error(void);
extern void __VERIFIER_assume(int);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    __VERIFIER_assume(x % 2u == 0u);
    if (x == 7u) {
        __VERIFIER_error();
    }
    return 0;
}
