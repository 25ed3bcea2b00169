// The second function of the table divides by its argument.
unsigned nondet_uint(void);

static int by_one(int x)
{
    return x + 1;
}
static int over(int x)
{
    return 10 / x; // expect: division-by-zero unsafe
}
static int (*const steps[2])(int) = {by_one, over};

int main(void)
{
    unsigned i = nondet_uint();
    return i < 2u ? steps[i](0) : 0;
}
