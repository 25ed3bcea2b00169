// options: --checks sign-change
int nondet_int(void);

int main(void)
{
    int x = nondet_int();
    unsigned u = 0u;
    if (x >= 0) {
        u = x;
    }
    return u == 3u;
}
