// CBMC: __CPROVER_assume, __CPROVER_assert, nondet_ functions without a body.
void __CPROVER_assume(_Bool);
void __CPROVER_assert(_Bool, const char *);
unsigned nondet_uint(void);

int main(void)
{
    unsigned a = nondet_uint();
    __CPROVER_assume(a < 10u);
    __CPROVER_assert(a * 2u < 20u, "twice a small number");
    return 0;
}
