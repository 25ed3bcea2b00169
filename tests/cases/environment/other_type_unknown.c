// A call through a pointer to another type of function means nothing: what comes after is undecided.
typedef int (*taker)(int *);

static int twice(int x)
{
    return x & 0xff;
}

int main(void)
{
    int a[2] = {1, 2};
    taker wrong = (taker)twice;
    int got = wrong(a); // expect: pointer unknown
    return got;
}
