// The comparison converts -1 to a huge number.
// options: --checks sign-change
int nondet_int(void);

int main(void)
{
    int n = nondet_int();
    unsigned limit = 10u;
    return n < limit; // expect: sign-change unsafe
}
