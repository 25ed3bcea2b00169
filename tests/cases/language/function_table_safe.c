unsigned nondet_uint(void);

static int by_one(int x)
{
    return x + 1;
}
static int by_two(int x)
{
    return x + 2;
}
static int (*const steps[2])(int) = {by_one, by_two};

int main(void)
{
    unsigned i = nondet_uint();
    return i < 2u ? steps[i](40) : 0;
}
