// As in CBMC's own tests, nothing is declared.
// options: --std gnu89
int main()
{
    int a = nondet_int();
    __CPROVER_assume(a > 3);
    __CPROVER_assert(a > 4, "not for four"); // expect: assertion unsafe
    return 0;
}
