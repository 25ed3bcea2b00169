// options: --checks sign-change
int nondet_int(void);

int main(void)
{
    int n = nondet_int();
    unsigned limit = 10u;
    return n >= 0 && n < limit;
}
