void __ESBMC_assume(_Bool);
void __ESBMC_assert(_Bool, const char *);
int nondet_int();

int main(void)
{
    int x = nondet_int();
    __ESBMC_assume(x >= 5 && x < 100);
    __ESBMC_assert(x * 2 > 10, "doubled"); // expect: assertion unsafe
    return 0;
}
