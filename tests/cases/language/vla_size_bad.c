// The size may be zero.
int nondet_int(void);

int main(void)
{
    int n = nondet_int();
    if (n < 0 || n > 3) {
        return 0;
    }
    char a[n]; // expect: bounds unsafe
    return (int)sizeof a;
}
