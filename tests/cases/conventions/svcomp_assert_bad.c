extern void abort(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *);
void reach_error() { __assert_fail("0", "task.c", 3, "reach_error"); } // maybe: assertion unsafe
extern int __VERIFIER_nondet_int(void);
void assume_abort_if_not(int cond)
{
    if (!cond) {
        abort();
    }
}
void __VERIFIER_assert(int cond)
{
    if (!(cond)) {
    ERROR: {
        reach_error(); // maybe: assertion unsafe
        abort();
    }
    }
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    assume_abort_if_not(x > 0 && x < 100);
    __VERIFIER_assert(x * x < 9801); // expect: assertion unsafe
    return 0;
}
