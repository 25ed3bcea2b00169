// reach_error without a body.
extern void reach_error(void);
extern char __VERIFIER_nondet_char(void);

int main(void)
{
    if (__VERIFIER_nondet_char() == 'x') {
        reach_error(); // expect: assertion unsafe
    }
    return 0;
}
