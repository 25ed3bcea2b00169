// options: --checks sign-change
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    unsigned u = x; // expect: sign-change unsafe
    return u == 3u;
}
