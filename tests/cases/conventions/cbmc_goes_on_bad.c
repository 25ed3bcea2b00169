// A claim that does not hold does not end the execution: what comes after is looked at all the same.
void __CPROVER_assert(_Bool, const char *);
void __ESBMC_assert(_Bool, const char *);
int nondet_int(void);

int main(void)
{
    int count = nondet_int();
    __CPROVER_assert(count > 0, "something to share"); // expect: assertion unsafe
    if (count == 0) {
        __ESBMC_assert(count, "never empty"); // expect: assertion unsafe
        return 100 / count; // expect: division-by-zero unsafe
    }
    return 0;
}
