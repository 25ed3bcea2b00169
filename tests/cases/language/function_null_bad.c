// A slot of the table is empty.
unsigned nondet_uint(void);

static int by_one(int x)
{
    return x + 1;
}
static int (*const steps[3])(int) = {by_one, 0, by_one};

int main(void)
{
    unsigned i = nondet_uint() % 3u;
    return steps[i](40); // expect: pointer unsafe
}
