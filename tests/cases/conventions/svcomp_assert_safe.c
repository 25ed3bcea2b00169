// SV-COMP: reach_error with a body, __VERIFIER_assert with a label.
extern void abort(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *);
void reach_error() { __assert_fail("0", "task.c", 4, "reach_error"); }
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
        reach_error();
        abort();
    }
    }
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    assume_abort_if_not(x > 0 && x < 100);
    __VERIFIER_assert(x * x < 10000);
    return 0;
}
